"""What of wandb's is made of tables and names: JoinedTable, Classes."""

from __future__ import annotations

from typing import Any

from flatout.track.errors import say_once
from flatout.track.media import Table
from flatout.track.plain import plain

__all__ = ["Classes", "JoinedTable"]


class Classes:
    """Names of classes, [{"id": 0, "name": "cat"}, ...], as Image takes them."""

    def __init__(self, class_set: Any) -> None:
        self._class_set = plain(list(class_set))


class JoinedTable(Table):
    """The rows of two tables that have the same value in a column, side by side; wandb joins them where they are shown."""

    def __init__(self, table1: Any, table2: Any, join_key: Any) -> None:
        super().__init__(columns=[], data=[])
        try:
            first, second = join_key if isinstance(join_key, (list, tuple)) else (join_key, join_key)
            left, right = table1.columns.index(first), table2.columns.index(second)
            others = {str(row[right]): row for row in table2.data}
            self.columns = [f"0.{name}" for name in table1.columns] + [f"1.{name}" for name in table2.columns]
            self.data = [[*row, *others[str(row[left])]] for row in table1.data if str(row[left]) in others]
        except Exception as error:
            say_once(f"JoinedTable: it is empty: {type(error).__name__}: {error}")
