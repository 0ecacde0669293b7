"""Sub-commands of `mpbench model` that compute rates in whole networks."""
