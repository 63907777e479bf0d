"""Images, tables, files and artifacts of flatout.track: what file is kept, and that nothing raises over what cannot be one."""

import io
import json
import struct
import wave
import zlib

import numpy
import PIL.Image as pil
import pytest
import torch


def row(kept):
    return kept.facts("track_row")[-1]["data"]


def decoded(png):
    """(columns, rows, channels, bytes) of a PNG as flatout.track writes it."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    columns, rows, depth, colour = struct.unpack(">IIBB", png[16:26])
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        assert zlib.crc32(png[at + 4:at + 8 + size]) == struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0]
        data += png[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    lines = zlib.decompress(data)
    width = columns * channels + 1
    assert depth == 8 and all(lines[line * width] == 0 for line in range(rows))
    return columns, rows, channels, b"".join(lines[line * width + 1:(line + 1) * width] for line in range(rows))


def test_images_of_lists_arrays_tensors_pillow_and_files(wandb, kept, tmp_path):
    grey = [[0.0, 1.0], [0.5, 0.25]]
    (tmp_path / "own.jpg").write_bytes(b"jpeg")
    pixels = numpy.arange(2 * 3 * 3, dtype=numpy.uint8).reshape(2, 3, 3)
    wandb.init()
    wandb.log({"list": wandb.Image(grey, caption="c"), "array": wandb.Image(pixels), "tensor": wandb.Image(torch.from_numpy(pixels).permute(2, 0, 1)),
               "file": wandb.Image(str(tmp_path / "own.jpg")), "pil": wandb.Image(pil.fromarray(pixels)), "bare": pil.fromarray(pixels),
               "several": [wandb.Image(pixels), wandb.Image(grey)]})
    data = row(kept)
    assert data["list"]["_type"] == "image" and data["list"]["caption"] == "c"
    assert decoded(kept.files[data["list"]["file"]]) == (2, 2, 1, bytes([0, 255, 127, 63]))
    assert decoded(kept.files[data["array"]["file"]]) == (3, 2, 3, pixels.tobytes())
    assert data["tensor"]["file"] == data["array"]["file"] and data["file"]["file"].endswith(".jpg")
    for name in ("pil", "bare"):
        assert pil.open(io.BytesIO(kept.files[data[name]["file"]])).tobytes() == pixels.tobytes()
    assert [one["_type"] for one in data["several"]] == ["image", "image"]
    assert pil.open(io.BytesIO(kept.files[data["array"]["file"]])).tobytes() == pixels.tobytes()


@pytest.mark.parametrize("bad", [[], 3, "no/such/file.png", object(), [[[[1]]]], b"bytes", None, {"a": 1}], ids=lambda one: type(one).__name__)
def test_what_is_no_picture_costs_a_line(wandb, kept, bad):
    wandb.init()
    wandb.log({"x": wandb.Image(bad), "y": 1})
    assert kept.values("y") and (bad == b"bytes" or "problem" in row(kept)["x"])


def test_histograms(wandb, kept):
    wandb.init()
    wandb.log({"own": wandb.Histogram(np_histogram=([1, 2], [0, 1, 2])), "of": wandb.Histogram([1.0, float("nan"), 3.0], num_bins=2),
               "array": numpy.arange(100.0)})
    data = row(kept)
    assert data["own"] == {"_type": "histogram", "bins": [0, 1, 2], "values": [1, 2]}
    assert data["of"]["values"] == [1, 1] and data["array"]["_type"] == "histogram" and sum(data["array"]["values"]) == 100


def test_tables(wandb, kept):
    wandb.init()
    table = wandb.Table(columns=["a", "b"])
    table.add_data(1, wandb.Html("<b>x</b>"))
    table.add_data(2, "text")
    table.add_column("c", [3.5, None])
    with pytest.raises(ValueError):
        table.add_data(1)
    wandb.log({"t": table, "chart": wandb.plot.line(table, "a", "c", title="T")})
    data = row(kept)
    kept_table = json.loads(kept.files[data["t"]["file"]])
    assert kept_table["columns"] == ["a", "b", "c"] and kept_table["data"][1] == [2, "text", None]
    html = kept_table["data"][0][1]
    assert html["_type"] == "html" and kept.files[html["file"]] == b"<b>x</b>"
    assert data["chart"]["chart"] == "line" and data["chart"]["fields"]["x"] == "a"
    assert table.get_column("a") == [1, 2] and wandb.Table(data=[[1, 2]]).columns == ["0", "1"]


def test_plots(wandb, kept):
    wandb.init()
    wandb.log({"m": wandb.plot.confusion_matrix(y_true=[0, 1, 1], preds=[0, 1, 0], class_names=["a", "b"]),
               "r": wandb.plot.roc_curve([0, 1], [[0.9, 0.1], [0.2, 0.8]]), "s": wandb.plot.line_series([0, 1], [[1, 2], [3, 4]], keys=["u", "v"])})
    matrix = json.loads(kept.files[row(kept)["m"]["file"]])
    assert matrix["data"] == [["a", "a", 1], ["a", "b", 0], ["b", "a", 1], ["b", "b", 1]]


def test_audio_video_html_and_others(wandb, kept, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>")
    wandb.init()
    wandb.log({"a": wandb.Audio([0.0, 1.0, -1.0], sample_rate=8000, caption="tone"), "v": wandb.Video(numpy.zeros((3, 3, 4, 5), dtype=numpy.uint8), fps=2),
               "h": wandb.Html(str(page)), "o": wandb.Object3D([[1, 2, 3]]), "norate": wandb.Audio([0.0])})
    data = row(kept)
    with wave.open(io.BytesIO(kept.files[data["a"]["file"]])) as sound:
        assert (sound.getframerate(), sound.getnframes(), sound.readframes(3)) == (8000, 3, struct.pack("<3h", 0, 32767, -32767))
    assert kept.files[data["v"]["file"]][:4] == b"GIF8" and kept.files[data["h"]["file"]] == b"<p>"
    assert json.loads(kept.files[data["o"]["file"]]) == [[1, 2, 3]] and "sample_rate" in data["norate"]["problem"]


def test_save_now_and_again_at_the_end(wandb, kept, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("b")
    run = wandb.init()
    assert wandb.save("sub/*.txt", base_path=".") == [str(tmp_path / "sub/a.txt")]
    wandb.save("b.txt", policy="now")
    assert wandb.save("none/*") == [] and run.restore("sub/a.txt").read() == "one"
    with pytest.raises(ValueError):
        run.restore("absent")
    (tmp_path / "sub/a.txt").write_text("second")
    (tmp_path / "b.txt").write_text("changed, too")
    wandb.finish()
    assert [(fact["path"], kept.files[fact["file"]]) for fact in kept.facts("track_file")] == [
        ("sub/a.txt", b"one"), ("b.txt", b"b"), ("sub/a.txt", b"second")]


def test_the_runs_folder_is_made_when_asked_for_and_kept(wandb, kept, tmp_path):
    run = wandb.init(dir=str(tmp_path))
    assert not (tmp_path / "wandb").exists()
    with open(run.dir + "/model.txt", "w") as file:
        file.write("weights")
    run.finish()
    assert [fact["path"] for fact in kept.facts("track_file")] == ["model.txt"]


def test_a_file_that_cannot_be_kept(wandb, kept, tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    wandb.init()
    wandb.save("pipe")
    wandb.log({"x": wandb.Image(str(tmp_path / "pipe")), "d": wandb.Video(str(tmp_path))})
    assert kept.facts("track_file") == [] and all("problem" in one for one in row(kept).values())


def test_artifacts(wandb, kept, tmp_path):
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/x.bin").write_bytes(b"x" * 10)
    (tmp_path / "one.txt").write_text("one")
    run = wandb.init()
    artifact = wandb.Artifact("model", type="model", metadata={"n": 1}, description="d")
    artifact.add_file(str(tmp_path / "one.txt"))
    artifact.add_dir(str(folder), name="all")
    artifact.add_reference("s3://bucket/key")
    artifact.add(wandb.Table(columns=["a"], data=[[1]]), "table")
    with artifact.new_file("made.txt") as file:
        file.write("made")
    (tmp_path / "one.txt").unlink()  # as with a temporary folder
    logged = run.log_artifact(artifact, aliases=["best"])
    assert logged.wait() is artifact
    facts = {fact["path"]: fact for fact in kept.facts("track_file")}
    assert set(facts) == {"one.txt", "all/deep/x.bin", "key", "made.txt", "table.json"}
    assert kept.files[facts["one.txt"]["file"]] == b"one" and facts["key"]["reference"] == "s3://bucket/key"
    about = facts["made.txt"]["artifact"]
    assert (about["name"], about["type"], about["aliases"], about["metadata"]) == ("model", "model", ["latest", "best"], {"n": 1})
    assert about["version"] == artifact.version and artifact.name == f"model:{artifact.version}"
    used = run.use_artifact("me/p/model:best")
    assert used is artifact
    place = used.download(str(tmp_path / "out"))
    assert (tmp_path / "out/all/deep/x.bin").read_bytes() == b"x" * 10 and place == str(tmp_path / "out")


def test_artifacts_of_the_same_files_have_the_same_version(wandb, kept, tmp_path):
    (tmp_path / "f").write_text("same")
    run = wandb.init()
    one, two = run.log_artifact(str(tmp_path / "f"), name="a"), run.log_artifact(str(tmp_path / "f"), name="b")
    (tmp_path / "f").write_text("other")
    three = run.log_artifact(str(tmp_path / "f"), name="a")
    assert one.version == two.version != three.version
    assert run.log_artifact(str(tmp_path / "absent")).type == "unspecified"
    run.log_model(str(tmp_path / "f"))
    run.log_code(".")


def test_watch_takes_histograms_and_leaves_the_model_as_it_was(wandb, kept):
    model = torch.nn.Linear(3, 2)
    run = wandb.init()
    wandb.watch(model, log="all", log_freq=2)
    wandb.watch(model)
    for _ in range(4):
        model(torch.ones(1, 3)).sum().backward()
        wandb.log({"loss": 1})
    names = {(fact["step"], name) for fact in kept.facts("track_row") for name in fact["data"]}
    assert names == {(step, f"{kind}/{part}") for step in (1, 3) for kind in ("gradients", "parameters") for part in ("weight", "bias")}
    run.finish()
    assert not any(parameter._backward_hooks for parameter in model.parameters())


def test_tables_are_joined_and_classes_named(wandb, kept):
    one = wandb.Table(columns=["id", "x"], data=[[1, "a"], [2, "b"]])
    two = wandb.Table(columns=["id", "y"], data=[[2, "c"], [3, "d"]])
    joined = wandb.JoinedTable(one, two, "id")
    assert (joined.columns, joined.data) == (["0.id", "0.x", "1.id", "1.y"], [[2, "b", 2, "c"]])
    assert wandb.JoinedTable(one, None, "id").data == []
    run = wandb.init()
    run.log({"joined": joined, "picture": wandb.Image([[0.0]], classes=wandb.Classes([{"id": 0, "name": "cat"}]))})
    row = kept.facts("track_row")[-1]["data"]
    assert row["joined"]["_type"] == "table" and row["picture"]["classes"] == [{"id": 0, "name": "cat"}]
    assert len(wandb.util.generate_id()) == 8 and len(wandb.util.generate_id(20)) == 20
