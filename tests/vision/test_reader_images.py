"""Images by name from archives and folders, VIPeR's and CAVIAR4REID's layouts among them."""

import io
import tarfile

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.vision.parsing.images import ImageStore
from metriclearn.vision.readers import caviar4reid, named_images, viper

KINDS = ["images.zip", "images.tar", "images.tgz", "images"]


def by_stem(path):
    return path.stem


@pytest.mark.parametrize("kind", KINDS)
def test_images_are_the_same_from_any_container(pack, picture, kind):
    cv2 = pytest.importorskip("cv2")
    members = {f"faces/P{i}/P{i}_0001.png": picture(i, 8, 10) for i in range(3)}
    extra = {"faces/README.txt": b"hello", "__MACOSX/P0/._P0_0001.png": b"x"}
    store = ImageStore(pack(kind, {**members, **extra}), by_stem)
    assert store.names == ("P0_0001", "P1_0001", "P2_0001")
    found = dict(store.read(["P2_0001", "P0_0001"]))
    assert set(found) == {"P0_0001", "P2_0001"}
    expected = cv2.imdecode(np.frombuffer(picture(2, 8, 10), np.uint8), cv2.IMREAD_COLOR)
    np.testing.assert_array_equal(found["P2_0001"], expected)
    assert expected.shape == (10, 8, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_image_is_named_before_any_is_read(pack, picture, kind):
    store = ImageStore(pack(kind, {"A/A_0001.png": picture()}), by_stem)
    with pytest.raises(DatasetError, match="1 of the 2 images .* are not in it.* B_0001"):
        list(store.read(["A_0001", "B_0001"]))


def test_an_image_twice_is_refused(pack, picture):
    path = pack("a.zip", {"x/A_0001.png": picture(), "y/A_0001.png": picture(1)})
    with pytest.raises(DatasetError, match="image A_0001 is in it twice"):
        ImageStore(path, by_stem)


def test_bytes_that_are_no_image_are_reported(pack):
    store = ImageStore(pack("a.zip", {"A.jpg": b"not a jpg", "B.jpg": b""}), by_stem)
    for name in ("A", "B"):
        with pytest.raises(DatasetError, match=f"{name}: not an image that can be read"):
            list(store.read([name]))


@pytest.mark.parametrize("kind", ["a.zip", "a.tar", "a.tgz"])
@pytest.mark.parametrize("name", ["../A.png", "x/../../A.png", "/etc/A.png", "C:/A.png"])
def test_a_path_that_climbs_out_is_refused(pack, picture, kind, name):
    with pytest.raises(DatasetError, match="points outside the folder; refused"):
        ImageStore(pack(kind, {"fine/B.png": picture(), name: picture()}), by_stem)


def test_a_link_in_a_tar_is_refused_and_one_in_a_folder_not_followed(tmp_path, pack, picture):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("A.png")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(DatasetError, match="link or a device"):
        ImageStore(path, by_stem)
    folder = pack("folder", {"A.png": picture()})
    (folder / "B.png").symlink_to(folder / "A.png")
    assert ImageStore(folder, by_stem).names == ("A",)


@pytest.mark.parametrize("kind", ["a.zip", "a.tar", "a.tgz"])
@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_a_truncated_archive_is_reported(pack, picture, kind, keep):
    names = [f"P{i}" for i in range(20)]
    path = pack(kind, {f"{name}.png": picture(i) for i, name in enumerate(names)})
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(DatasetError):
        list(ImageStore(path, by_stem).read(names))


def test_a_compressed_giant_is_not_unpacked(tmp_path, monkeypatch):
    from metriclearn.vision.parsing import images

    monkeypatch.setattr(images, "MAX_IMAGE_BYTES", 1000)
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("A.png")
        info.size = 10_000_000
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    with pytest.raises(DatasetError, match="more bytes than expected"):
        list(ImageStore(path, by_stem).read(["A"]))


def test_images_named_by_their_files(pack, picture):
    path = pack("faces.zip", {f"lfw/{n}/{n}_0001.png": picture() for n in ("Ann", "Bo")})
    assert named_images.read(path).names == ("Ann_0001", "Bo_0001")
    found = named_images.read(path, ("Bo_0001",))
    assert found.names is None and found.images.names == ("Ann_0001", "Bo_0001")
    with pytest.raises(DatasetError, match="1 of the 2 images that the pairs name are not in it"):
        named_images.read(path, ("Ann_0001", "Cy_0001"))


def viper_members(picture, n=3):
    angles = [0, 45, 180]
    return {
        f"VIPeR/{camera}/{i:03d}_{angles[(i + j) % 3]}.bmp": picture(2 * i + j, ending=".bmp")
        for j, camera in enumerate(("cam_a", "cam_b"))
        for i in range(n)
    }


@pytest.mark.parametrize("kind", ["VIPeR.v1.0.zip", "VIPeR"])
def test_viper_has_each_person_once_per_camera(pack, picture, kind):
    found = viper.read(pack(kind, viper_members(picture)), n_persons=3)
    assert found.names == (
        "cam_a/000",
        "cam_a/001",
        "cam_a/002",
        "cam_b/000",
        "cam_b/001",
        "cam_b/002",
    )
    np.testing.assert_array_equal(found.labels["person"], [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(found.labels["camera"], [0, 0, 0, 1, 1, 1])


def test_a_viper_with_a_person_missing_or_seen_once_is_reported(pack, picture):
    members = viper_members(picture)
    with pytest.raises(DatasetError, match="expected 632 persons in cam_a and cam_b, got 3"):
        viper.read(pack("a.zip", members), n_persons=632)
    del members["VIPeR/cam_b/001_180.bmp"]
    with pytest.raises(DatasetError, match="person 001 has an image from one camera only"):
        viper.read(pack("b.zip", members), n_persons=3)


@pytest.mark.parametrize("kind", ["CAVIAR4REID.zip", "CAVIAR4REID"])
def test_caviar_has_the_person_and_the_camera_in_the_name(pack, picture, kind):
    numbers = {1: [1, 2, 10], 2: [9, 11], 72: [20]}
    members = {
        f"CAVIARa/{p:04d}{n:03d}.jpg": picture(n, 20, 40, ".jpg")
        for p, some in numbers.items()
        for n in some
    }
    found = caviar4reid.read(pack(kind, members), n_images=6, n_persons=3)
    np.testing.assert_array_equal(found.labels["person"], [1, 1, 1, 2, 2, 72])
    np.testing.assert_array_equal(found.labels["camera"], [0, 0, 0, 0, 1, 1])
    path = pack("other.zip", members)
    with pytest.raises(DatasetError, match="expected 1220 images IIIICCC.jpg of 72 .* got 6 of 3"):
        caviar4reid.read(path, n_images=1220, n_persons=72)


def test_the_real_viper_is_complete(mirror):
    found = viper.read(mirror / "viper" / "VIPeR.v1.0.zip", n_persons=632)
    assert len(found.names) == 1264
    (_, image), *_ = found.images.read(found.names[:1])
    assert image.shape == (128, 48, 3)
