"""Features that are computed from images, one module per feature.

A module has ``compute(image, **inputs)``, which returns the features of one BGR image as a vector.
It may have ``describe(**inputs)``, whose text is added to the source of the features. Inputs are
the options of the feature in ``conf/images/<set>.yaml`` and, by its role, each file with data for
the images (such as landmarks): ``compute`` gets the data of its image, ``describe`` those of all,
and both get None for an optional file that is missing.
"""
