"""What the readers share: images in archives and folders, text, pair lists, numeric arrays."""
