"""The published file formats of the image sets, one module per format.

A module has ``read(path, names, **options)``, which returns a ``FileData`` or raises
``DatasetError``. ``names`` are the images that the files before this one name, or None; the options
are those of the file's ``reader`` in ``conf/images/<set>.yaml``.
"""
