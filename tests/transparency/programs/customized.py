"""What became of the site's own customization."""

import sys

for name in ("sitecustomize", "usercustomize"):
    module = sys.modules.get(name)
    mark = getattr(module, "MARK", None)
    print(name, mark, module.__file__ if mark else "")
print(sys.path, sys.argv)
print("wave" in sys.modules)  # a module that nothing but the customization imports
