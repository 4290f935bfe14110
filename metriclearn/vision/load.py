"""``load_features``: the features of an image set by name, checked and ready to use."""

import sys
from typing import Any

import numpy as np

from ..datasets import DatasetError
from ..datasets.download import DownloadOptions
from .featureset import FeatureSet
from .files import FeatureFiles, read_files
from .registry import FEATURES, check_call, load_module
from .simulated import simulate
from .spec import ImageSpec, load_image_spec


def load_features(
    name: str,
    feature: str | None = None,
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
    quiet: bool = False,
    **settings: Any,
) -> FeatureSet:
    """Features of image set ``name``: the first one of its yaml file if none is named.

    The files come from the cache, the mirror folder or the public download, the first that has
    them; ``source`` restricts it to one of ``cache``, ``mirror``, ``public``. ``settings`` replace
    options of the extractor, such as ``root=False`` for SIFT instead of RootSIFT. Features are
    extracted at each call, with a progress bar on stderr unless ``quiet``: LFW takes minutes, so
    ``metriclearn extract`` writes them to a file for ``FeatureSet.load``.
    """
    spec = load_image_spec(name)
    feature = spec.feature(feature)
    if settings and spec.extractor(feature) is None:
        raise DatasetError(f"{name}-{feature} has no extractor that takes {', '.join(settings)}")
    if spec.simulated:
        return simulate(spec, feature)
    files = read_files(spec, feature, source=source, options=options)
    X, origin = files.data.X, files.source
    if X is None:
        X, how = compute_features(spec, feature, files, settings, quiet=quiet)
        origin = ", ".join(filter(None, [origin, how]))
    return FeatureSet(
        name=spec.name,
        title=spec.title,
        feature=feature,
        task=spec.task,
        X=X,
        source=origin,
        **(files.data.labels or {}),
    )


def compute_features(
    spec: ImageSpec,
    feature: str,
    files: FeatureFiles,
    settings: dict[str, Any],
    *,
    quiet: bool = True,
) -> tuple[np.ndarray, str]:
    """The extractor's features of the images, a row per name, and its description of them."""
    from tqdm import tqdm

    kind = spec.extractor(feature) or ""
    module = load_module(FEATURES, kind)
    settings = {**spec.extractor_options(feature), **settings}
    where = f"conf/images/{spec.name}.yaml: feature {feature}: extractor {kind}"
    check_call(module.compute, where, None, **{**settings, **files.inputs})
    names, images = files.data.names, files.data.images
    assert names is not None and images is not None
    for role, data in files.inputs.items():
        if data is not None and (absent := [name for name in names if name not in data]):
            raise DatasetError(
                f"{spec.files[role].name}: nothing for {len(absent)} of {len(names)} images, the "
                f"first is {absent[0]}; get a complete copy"
            )
    row = {name: i for i, name in enumerate(names)}
    X = np.empty((0, 0), dtype=np.float32)
    for name, image in tqdm(
        images.read(names),
        total=len(names),
        desc=f"{spec.name} {feature}",
        unit="image",
        file=sys.stderr,
        disable=quiet,
        mininterval=0.5 if sys.stderr.isatty() else 20.0,  # keeps a log short
    ):
        inputs = {role: data and data[name] for role, data in files.inputs.items()}
        values = np.asarray(module.compute(image, **{**settings, **inputs}))
        if not len(X):
            X = np.zeros((len(names), values.size), dtype=np.float32)
        if values.shape != X.shape[1:]:
            raise DatasetError(
                f"{where}: expected a vector of {X.shape[1]} features as for the first image, got "
                f"shape {values.shape} for {name}"
            )
        X[row[name]] = values
    describe = getattr(module, "describe", None)
    return X, describe(**{**settings, **files.inputs}) if describe else ""
