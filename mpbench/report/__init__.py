"""From a results folder to what a report or a dashboard is made from."""
