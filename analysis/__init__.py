"""From what a run left behind to metrics, tables and figures."""
