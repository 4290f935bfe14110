"""The published file formats of the image sets."""
