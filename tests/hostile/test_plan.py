"""A plan that came from elsewhere."""

import subprocess

import harness
import pytest

PLAN = '[knobs]\n[[knob]]\nname = "x"\nenvironment = "%s={}"\nvalue = "%s"\n'


def run(tmp_path, name, value, *options):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN % (name, value))
    return subprocess.run(
        [str(a) for a in [harness.flatout_bin(), "run", "--plan", plan, *options, "--", "sh", "-c", f"echo ${name}"]],
        env=harness.environment(FLATOUT_HOME=tmp_path / "home"),
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ["LD_PRELOAD", "PYTHONSTARTUP", "BASH_ENV", "PERL5OPT", "GIT_SSH"])
def test_code_is_not_chosen_by_a_plan(flatout, tmp_path, name):
    refused = run(tmp_path, name, "/nowhere/evil")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert f"--allow-env {name}" in refused.stderr
    allowed = run(tmp_path, name, "/nowhere/evil", "--allow-env", name)
    assert allowed.stdout == "/nowhere/evil\n"


def test_all_settings_are_shown_and_cannot_steer_the_terminal(flatout, tmp_path):
    shown = run(tmp_path, "MY_BATCH", "4\\u001b[2J")
    assert shown.returncode == 0
    assert "the plan sets MY_BATCH=4\\u001b[2J" in shown.stderr
    assert "\x1b" not in shown.stderr
    assert "the plan sets" not in run(tmp_path, "MY_BATCH", "4", "--quiet").stderr


@pytest.mark.parametrize("name", ["LD_PRELOAD", "PYTHONPATH", "BASH_ENV"])
def test_code_is_not_chosen_by_a_search_space(flatout, tmp_path, name):
    (tmp_path / "space.toml").write_text('[search]\ntrials = 2\n[environment]\n%s = {values = ["/nowhere/evil", "4"]}\n' % name)
    asked = [harness.flatout_bin(), "search", "space.toml"]
    env = harness.environment(FLATOUT_HOME=tmp_path / "home")
    refused = subprocess.run([str(a) for a in [*asked, "--", "touch", tmp_path / "ran"]], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert refused.returncode == 2 and f"--allow-env {name}" in refused.stderr, refused.stderr
    assert not (tmp_path / "ran").exists() and not (tmp_path / "home").exists(), "nothing was started"
    allowed = subprocess.run([str(a) for a in [*asked, "--allow-env", name, "--", "true"]], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert allowed.returncode == 1 and "--allow-env" not in allowed.stderr, allowed.stderr
