"""A local page that shows results while a campaign runs."""
