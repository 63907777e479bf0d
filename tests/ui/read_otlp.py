"""Reads a file of OTLP/JSON by OpenTelemetry's own definitions, which lie in the folder of the first argument; prints what it holds.

    python read_otlp.py PACKAGES FILE
"""

import json
import sys

sys.path.insert(0, sys.argv[1])
from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.semconv._incubating.metrics import hw_metrics


class Meter:
    """Says which instrument a convention asks for."""

    def __getattr__(self, kind):
        return lambda name, unit, **_: [name, unit, "sum" if kind == "create_up_down_counter" else "gauge"]


def by_convention(name):
    create = getattr(hw_metrics, "create_" + name.replace(".", "_"))
    return create(Meter()) if create.__code__.co_argcount == 1 else create(Meter(), None)


found = {"metrics": {}, "resource": {}, "longest": 0}
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        found["longest"] = max(found["longest"], len(line.encode()))
        request = json_format.Parse(line, ExportMetricsServiceRequest())
        (resource,) = request.resource_metrics
        found["resource"] = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in resource.resource.attributes if one.key != "flatout.tags"}
        for metric in resource.scope_metrics[0].metrics:
            kind = metric.WhichOneof("data")
            if metric.name.startswith("hw."):
                assert by_convention(metric.name) == [metric.name, metric.unit, kind], (metric.name, metric.unit, kind)
            told = found["metrics"].setdefault(metric.name, {"unit": metric.unit, "points": 0, "attributes": [], "first_ns": None, "last": None, "names": []})
            points = getattr(metric, kind).data_points
            told["points"] += len(points)
            told["attributes"] = sorted({*told["attributes"], *(one.key for point in points for one in point.attributes)})
            told["names"] = sorted({*told["names"], *(one.value.string_value for point in points for one in point.attributes if one.key == "flatout.value.name")})
            told["first_ns"] = told["first_ns"] or points[0].time_unix_nano
            told["last"] = points[-1].as_double
json.dump(found, sys.stdout)
