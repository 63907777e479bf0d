"""wandb.plot: each chart is kept as its table, with what was to be drawn of it."""

from __future__ import annotations

from typing import Any

from flatout.track.channel import Channel
from flatout.track.media import Table
from flatout.track.pictures import nested

__all__ = ["CustomChart", "bar", "confusion_matrix", "histogram", "line", "line_series", "plot_table", "pr_curve", "roc_curve", "scatter",
           "visualize"]


class CustomChart:
    def __init__(self, kind: str, table: Table, **fields: Any) -> None:
        self.kind, self.table, self.fields = kind, table, fields

    def written(self, channel: Channel) -> dict[str, Any]:
        return {**self.table.written(channel), "chart": self.kind, "fields": self.fields}


def line(table: Table, x: str, y: str, stroke: str | None = None, title: str = "", split_table: bool = False) -> CustomChart:
    return CustomChart("line", table, x=x, y=y, stroke=stroke, title=title)


def scatter(table: Table, x: str, y: str, title: str = "", split_table: bool = False) -> CustomChart:
    return CustomChart("scatter", table, x=x, y=y, title=title)


def bar(table: Table, label: str, value: str, title: str = "", split_table: bool = False) -> CustomChart:
    return CustomChart("bar", table, label=label, value=value, title=title)


def histogram(table: Table, value: str, title: str = "", split_table: bool = False) -> CustomChart:
    return CustomChart("histogram", table, value=value, title=title)


def line_series(xs: Any, ys: Any, keys: Any = None, title: str = "", xname: str = "x", split_table: bool = False) -> CustomChart:
    series = [list(one) for one in nested(ys)]
    axes = [list(one) if hasattr(one, "__iter__") else one for one in nested(xs)]
    several = bool(axes) and isinstance(axes[0], list)
    names = list(keys) if keys is not None else [f"line_{at}" for at in range(len(series))]
    rows = [[x, name, y] for at, (name, values) in enumerate(zip(names, series)) for x, y in zip(axes[at] if several else axes, values)]
    return CustomChart("line", Table(columns=["step", "lineKey", "lineVal"], data=rows), x="step", y="lineVal", stroke="lineKey", title=title, xname=xname)


def confusion_matrix(probs: Any = None, y_true: Any = None, preds: Any = None, class_names: Any = None, title: str = "Confusion Matrix Curve",
                     split_table: bool = False) -> CustomChart:
    if probs is not None:
        preds = [max(range(len(row)), key=row.__getitem__) for row in nested(probs)]
    pairs = list(zip(nested(y_true), nested(preds)))
    classes = sorted({one for pair in pairs for one in pair}) if class_names is None else list(range(len(class_names)))
    names = [str(one) for one in classes] if class_names is None else [str(one) for one in class_names]
    counts: dict[Any, int] = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1
    rows = [[names[i], names[j], counts.get((a, b), 0)] for i, a in enumerate(classes) for j, b in enumerate(classes)]
    return CustomChart("confusion_matrix", Table(columns=["Actual", "Predicted", "nPredictions"], data=rows), title=title)


def _raw(kind: str, y_true: Any, y_probas: Any, labels: Any, title: str) -> CustomChart:
    """The labels and the scores themselves: a curve is made of them where it is drawn."""
    rows = [[truth, *(score if isinstance(score, (list, tuple)) else [score])] for truth, score in zip(nested(y_true), nested(y_probas))]
    width = len(rows[0]) - 1 if rows else 1
    names = [str(one) for one in labels] if labels is not None and len(labels) == width else [str(at) for at in range(width)]
    return CustomChart(kind, Table(columns=["truth", *names], data=rows), title=title)


def roc_curve(y_true: Any, y_probas: Any = None, labels: Any = None, classes_to_plot: Any = None, title: str = "ROC Curve",
              split_table: bool = False) -> CustomChart:
    return _raw("roc_curve", y_true, y_probas, labels, title)


def pr_curve(y_true: Any = None, y_probas: Any = None, labels: Any = None, classes_to_plot: Any = None, interp_size: int = 21,
             title: str = "Precision-Recall Curve", split_table: bool = False) -> CustomChart:
    return _raw("pr_curve", y_true, y_probas, labels, title)


def plot_table(vega_spec_name: str, data_table: Table, fields: dict[str, Any], string_fields: dict[str, Any] | None = None,
               split_table: bool = False) -> CustomChart:
    return CustomChart("vega", data_table, spec=vega_spec_name, columns=fields, texts=string_fields or {})


def visualize(id: str, value: Table) -> CustomChart:
    return CustomChart("vega", value, spec=id)
