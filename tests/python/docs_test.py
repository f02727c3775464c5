# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings, on docs/python.md and in notebooks work as they stand; stubs are true."""

import ast
import doctest
import importlib
import inspect
import json
import pathlib
import pkgutil
import re
import unittest
import warnings

import matplotlib

import kit
import talus

matplotlib.use("Agg")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    names = [m.name for m in pkgutil.iter_modules(talus.__path__) if m.name not in ("_core", "__main__")]
    return [talus] + [importlib.import_module(f"talus.{name}") for name in sorted(names)]


def cells_of(notebook):
    content = json.loads(notebook.read_text())
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


class Documents(kit.InScratch):
    def setUp(self):
        super().setUp()
        for path in (kit.ROOT / "scenes").glob("*.toml"):
            pathlib.Path(path.name).write_text(ending_early(path.read_text()))

    def test_docstrings(self):
        talus.run(talus.Scene.load(talus.example("bouncing")), "ball.h5", until=0.05)
        tried = 0
        for module in modules():
            with self.subTest(module.__name__):
                globs = {"talus": talus, "ball_run": "ball.h5"}
                finder = doctest.DocTestFinder(exclude_empty=True)
                for test in finder.find(module, globs=globs):
                    runner = doctest.DocTestRunner(optionflags=FLAGS)
                    said = []
                    runner.run(test, out=said.append)
                    tried += runner.tries
                    self.assertEqual(runner.failures, 0, "".join(said))
        self.assertGreater(tried, 40)

    def test_the_page(self):
        text = (kit.ROOT / "docs/python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertGreater(len(blocks), 5)
        scope = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", talus.RunWarning)
            for block in blocks:
                exec(compile(ending_early(block), "docs/python.md", "exec"), scope)

    def test_notebooks(self):
        notebooks = sorted((kit.ROOT / "docs/tutorial").glob("*.ipynb"))
        pages = sorted((kit.ROOT / "docs/tutorial").glob("*.md"))
        self.assertEqual([n.stem for n in notebooks], [p.stem for p in pages])
        for notebook in notebooks:
            with self.subTest(notebook.name):
                scope = {}
                for number, cell in enumerate(cells_of(notebook), 1):
                    tree = ast.parse(ending_early(cell))
                    last = tree.body[-1] if tree.body else None
                    code = compile(tree, f"{notebook.name}, cell {number}", "exec")
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", talus.RunWarning)
                        exec(code, scope)
                        if isinstance(last, ast.Expr):  # what the notebook would show
                            eval(compile(ast.Expression(last.value), "cell", "eval"), scope)

    def test_stubs_name_what_is_there(self):
        core = talus._core
        stub = ast.parse((pathlib.Path(talus.__file__).parent / "_core.pyi").read_text())
        def names_in(body):
            return {n.name if hasattr(n, "name") else n.target.id for n in body
                    if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AnnAssign))}
        def public(x):
            return {n for n in vars(x) if not n.startswith("_")} | ({"__version__"} & set(vars(x)))
        declared = names_in(stub.body) | {"InputError", "SceneError"}
        self.assertEqual(declared, public(core))
        for node in stub.body:
            if isinstance(node, ast.ClassDef):
                declared = {n for n in names_in(node.body) if not n.startswith("_")}
                self.assertEqual(declared, public(getattr(core, node.name)), node.name)

    def test_every_method_has_a_docstring(self):
        for name in talus.__all__:
            item = getattr(talus, name)
            if not inspect.isclass(item) or name in ("Certificate", "SceneError"):  # columns have units
                continue
            for member in dir(item):
                if not member.startswith("_") and not hasattr(Exception, member):
                    self.assertTrue(inspect.getdoc(getattr(item, member)), f"{name}.{member}")

    def test_everything_public_has_a_docstring_and_types(self):
        for name in talus.__all__:
            item = getattr(talus, name)
            if name == "__version__":
                continue
            self.assertTrue(inspect.getdoc(item), name)
            if inspect.isfunction(item):
                for parameter in inspect.signature(item).parameters.values():
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty,
                                     f"{name}({parameter.name})")


def ending_early(text, latest=0.06):
    """The same with simulations that end early: what they show is not looked at here."""
    def shorter(match):
        return match[1] + (str(latest) if float(match[2]) > latest else match[2])
    return re.sub(r"""(\bend["']? *[:=] *|until=)([0-9.]+)""", shorter, text)


if __name__ == "__main__":
    unittest.main()
