"""Logs a text wherever a name or a text may stand: hostile.py TEXT [STOP]"""

import os
import sys
import time

from flatout import track

text = sys.argv[1]
print(text)
run = track.init(project=text, entity=text, name=text, group=text, job_type=text, notes=text, tags=[text], config={text: text, "nested": {text: [text]}})
run.define_metric(text, summary="max")
run.log({text: 1.0, f"said/{text}": text, "page": track.Html(text), "table": track.Table(
    columns=[text, "cell"], data=[[text, track.Html("in a table")], ["beside.txt", None]])})
run.log({text: 2.0})
run.summary[text] = text
run.alert(title=text, text=text)
while len(sys.argv) > 2 and not os.path.exists(sys.argv[2]):
    run.log({text: 3.0})
    time.sleep(0.1)
run.finish()
