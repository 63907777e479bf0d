"""Every call of wandb's and Neptune's names that takes a name or a path, given one: label -> call(wandb, run, file, folder, name, out).

`file` and `folder` are the user's, `out` is a folder that downloads go to, in which links lead to the user's.
"""


def artifact(wandb):
    return wandb.Artifact("a", "t")


def logged(wandb, run, one):
    return run.log_artifact(one)


def new_file(wandb, name, mode, content="of the artifact"):
    one = artifact(wandb)
    with one.new_file(name, mode) as file:
        file.write(content if "b" not in mode else content.encode())
    return one


def hand_made(wandb, run, file, name, out, rename):
    """As of a manifest that somebody wrote: an entry whose name leads elsewhere."""
    one = artifact(wandb)
    entry = one.add_file(file, name="plain.bin")
    rename(one, entry, name)
    run.log_artifact(one)
    return one


def _path(one, entry, name):
    entry.path = name


def _key(one, entry, name):
    one._entries[name] = one._entries.pop("plain.bin")
    entry.path = name


def after(one, *then):
    for call in then:
        call(one)


CALLS = {
    "add_file(name)": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n)),
    "add_file(name, immutable)": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n, policy="immutable")),
    "add_file(name, overwrite)": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n, overwrite=True, is_tmp=True)),
    "add_file(path)": lambda w, r, f, d, n, o: logged(w, r, _added(w, n, None)),
    "add_file under two names": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_file(f, name="x"), lambda a: a.add_file(f, name=n)),
    "add_dir(name)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_dir(d, name=n), r.log_artifact, lambda a: a.download(o)),
    "add_dir(name, merge)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_dir(d, name=n, merge=True, policy="immutable"), r.log_artifact),
    "add_dir(path)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_dir(n), r.log_artifact),
    **{f"new_file({mode})": (lambda mode: lambda w, r, f, d, n, o: logged(w, r, new_file(w, n, mode)))(mode)
       for mode in ("x", "w", "a", "r+", "w+", "wb", "xb")},
    "new_file twice": lambda w, r, f, d, n, o: after(new_file(w, "x", "w"), lambda a: a.new_file(n, "a").__enter__()),
    "add_reference(name)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_reference(f"file://{f}", name=n), r.log_artifact,
                                                         lambda a: a.download(o)),
    "add_reference(uri)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_reference(f"file://{n}"), r.log_artifact, lambda a: a.download(o)),
    "add_reference(uri alone)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add_reference(n), r.log_artifact),
    "add(name)": lambda w, r, f, d, n, o: after(artifact(w), lambda a: a.add(w.Table(columns=["a"], data=[[1]]), n), r.log_artifact,
                                               lambda a: a.download(o)),
    "remove": lambda w, r, f, d, n, o: after(_added(w, f, "x"), lambda a: a.remove(n)),
    "get": lambda w, r, f, d, n, o: after(_added(w, f, "x"), lambda a: a.get(n)),
    "get_entry": lambda w, r, f, d, n, o: after(_added(w, f, "x"), lambda a: a.get_entry(n).download(o)),
    "get_path": lambda w, r, f, d, n, o: after(_added(w, f, "x"), lambda a: a.get_path(n).download(o)),
    "get_added_local_path_name": lambda w, r, f, d, n, o: after(_added(w, f, "x"), lambda a: a.get_added_local_path_name(n)),
    "files": lambda w, r, f, d, n, o: after(_added(w, f, "x"), lambda a: a.files([n])),
    "download": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n)).download(o),
    "download twice": lambda w, r, f, d, n, o: after(logged(w, r, _added(w, f, n)), lambda a: a.download(o), lambda a: a.download(o)),
    "download to the default place": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n)).download(),
    "download before it is logged": lambda w, r, f, d, n, o: _added(w, f, n).download(o),
    "checkout": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n)).checkout(o),
    "file": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n)).file(o),
    "file to the default place": lambda w, r, f, d, n, o: logged(w, r, _added(w, f, n)).file(),
    "verify": lambda w, r, f, d, n, o: _added(w, f, n).verify(o),
    "download of a changed path": lambda w, r, f, d, n, o: hand_made(w, r, f, n, o, _path).download(o),
    "download of a changed manifest": lambda w, r, f, d, n, o: hand_made(w, r, f, n, o, _key).download(o),
    "entry.download of a changed path": lambda w, r, f, d, n, o: [e.download(o) for e in hand_made(w, r, f, n, o, _path).files()],
    "file of a changed path": lambda w, r, f, d, n, o: hand_made(w, r, f, n, o, _key).file(o),
    "Artifact(name)": lambda w, r, f, d, n, o: after(w.Artifact(n, "t"), lambda a: a.add_file(f), r.log_artifact, lambda a: a.download(),
                                                    lambda a: a.file()),
    "Artifact(type)": lambda w, r, f, d, n, o: after(w.Artifact("a", n), lambda a: a.add_file(f), r.log_artifact, lambda a: a.download()),
    "log_artifact(path)": lambda w, r, f, d, n, o: r.log_artifact(n).download(),
    "log_artifact(name)": lambda w, r, f, d, n, o: r.log_artifact(f, name=n, type=n, aliases=[n]).download(),
    "log_artifact of a folder": lambda w, r, f, d, n, o: r.log_artifact(d, name=n).download(),
    "use_artifact": lambda w, r, f, d, n, o: r.use_artifact(n).download(),
    "log_model(path)": lambda w, r, f, d, n, o: r.log_model(n),
    "log_model(name)": lambda w, r, f, d, n, o: after(r, lambda r: r.log_model(f, name=n), lambda r: r.use_model(n)),
    "link_model": lambda w, r, f, d, n, o: r.link_model(f, n, name=n),
    "link_artifact": lambda w, r, f, d, n, o: r.link_artifact(_added(w, f, "x"), n),
    "use_model": lambda w, r, f, d, n, o: r.use_model(n),
    "log_code(root)": lambda w, r, f, d, n, o: r.log_code(n),
    "log_code(name)": lambda w, r, f, d, n, o: r.log_code(d, name=n, include_fn=lambda path, root=None: True),
    "save": lambda w, r, f, d, n, o: r.save(n),
    "save(glob)": lambda w, r, f, d, n, o: r.save(n + "*"),
    "save(no glob)": lambda w, r, f, d, n, o: r.save(n, glob=False),
    "save(base_path)": lambda w, r, f, d, n, o: r.save(f, base_path=n, policy="end"),
    "restore": lambda w, r, f, d, n, o: after(r, lambda r: r.save(f), lambda r: r.restore(n, root=o, replace=True).close()),
    "restore(root)": lambda w, r, f, d, n, o: after(r, lambda r: r.save(f), lambda r: r.restore(f.rpartition("/")[2], root=n, replace=True).close()),
    "Image": lambda w, r, f, d, n, o: r.log({"m": w.Image(n)}),
    "Video": lambda w, r, f, d, n, o: r.log({"m": w.Video(n)}),
    "Audio": lambda w, r, f, d, n, o: r.log({"m": w.Audio(n)}),
    "Html": lambda w, r, f, d, n, o: r.log({"m": w.Html(n)}),
    "Object3D": lambda w, r, f, d, n, o: r.log({"m": w.Object3D(n)}),
    "Molecule": lambda w, r, f, d, n, o: r.log({"m": w.Molecule(n)}),
    "Table": lambda w, r, f, d, n, o: r.log({"m": w.Table(columns=[n, "b"], data=[[w.Image(n), n]])}),
    "log(key)": lambda w, r, f, d, n, o: r.log({n: 1.0, n + "/t": "text", n + "/i": w.Html("<p>of ours")}),
    "config": lambda w, r, f, d, n, o: r.config.update({n: n}, allow_val_change=True),
    "summary": lambda w, r, f, d, n, o: r.summary.update({n: n}),
    "define_metric": lambda w, r, f, d, n, o: r.define_metric(n, step_metric=n),
    "alert": lambda w, r, f, d, n, o: r.alert(n, n),
    "run.name": lambda w, r, f, d, n, o: setattr(r, "name", n),
    "Api().run": lambda w, r, f, d, n, o: w.Api().run(n),
    "init(id)": lambda w, r, f, d, n, o: _inner(w, id=n),
    "init(name)": lambda w, r, f, d, n, o: _inner(w, name=n, project=n, entity=n, group=n, job_type=n, tags=[n]),
    "init(resume)": lambda w, r, f, d, n, o: _inner(w, id=n, resume="allow"),
    "init(fork_from)": lambda w, r, f, d, n, o: _inner(w, fork_from=f"{n}?_step=1"),
    "init(resume_from)": lambda w, r, f, d, n, o: _inner(w, resume_from=f"{n}?_step=1"),
}


def _added(wandb, path, name, **how):
    one = artifact(wandb)
    one.add_file(path, name=name, **how)
    return one


def _inner(wandb, **given):
    with wandb.init(reinit="create_new", **given) as run:
        run.log({"x": 1})
        with open(run.dir + "/kept.txt", "w") as file:
            file.write("of the run")


NEPTUNE = {
    "upload(path)": lambda run, file, folder, name: run["a"].upload(name),
    "upload(field)": lambda run, file, folder, name: run[name].upload(file),
    "field = value": lambda run, file, folder, name: run.assign({name: 1, "a": name}),
    "field = File": lambda run, file, folder, name: _set(run, name, _file(run)(file)),
    "append File": lambda run, file, folder, name: run[name].append(_file(run)(file)),
    "File(path)": lambda run, file, folder, name: run["a"].upload(_file(run)(name)),
    "File.from_path": lambda run, file, folder, name: run["a"].upload(_file(run).from_path(name, extension=name)),
    "File.from_content": lambda run, file, folder, name: run["a"].upload(_file(run).from_content("of ours", extension=name)),
    "upload_files(path)": lambda run, file, folder, name: run["a"].upload_files(name),
    "upload_files(field)": lambda run, file, folder, name: run[name].upload_files([file, folder]),
    "track_files": lambda run, file, folder, name: run[name].track_files(name),
    "delete_files": lambda run, file, folder, name: run["a"].delete_files([name]),
    "download": lambda run, file, folder, name: run["a"].download(name),
    "download of the field": lambda run, file, folder, name: run[name].download(folder),
    "pop": lambda run, file, folder, name: run.pop(name),
    "del": lambda run, file, folder, name: run.__delitem__(name),
    "fetch": lambda run, file, folder, name: run[name].fetch(),
    "tags": lambda run, file, folder, name: run["sys/tags"].add([name]),
}


def _set(run, name, value):
    run[name] = value


def _file(run):
    import sys

    for module in ("neptune", "flatout.track.neptune"):
        if module in sys.modules:
            return getattr(sys.modules[module], "File", None) or sys.modules[module].types.File
    raise AssertionError("neptune was not imported")
