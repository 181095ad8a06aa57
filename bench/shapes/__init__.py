"""Trainers compared on ranking data of many shapes: README.md says how."""
