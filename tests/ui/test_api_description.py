"""schemathesis asks the API as its description allows, and otherwise; each answer must be one that is described."""

import schemathesis
from hypothesis import HealthCheck, settings

import make_store
import pytest
from ui_server import UiServer


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    home = tmp_path_factory.mktemp("described") / "home"
    make_store.made_up("small", home, 5)
    with UiServer(home) as server:
        # Streams do not end by themselves.
        yield schemathesis.openapi.from_url(
            f"http://127.0.0.1:{server.port}/api/v1/openapi.json",
            headers={"Authorization": f"Bearer {server.token}"}).exclude(path_regex="/live$")


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case, described):
    token = described.config.headers if hasattr(described.config, "headers") else None
    response = case.call(headers=token)
    case.validate_response(response, excluded_checks=[schemathesis.checks.ignored_auth] if hasattr(schemathesis.checks, "ignored_auth") else [])
