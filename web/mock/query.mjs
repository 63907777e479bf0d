// Enough of the query language for the tests of the page; the real one is the server's.
const token = /\s*(?:(\()|(\))|(==|!=|<=|>=|<|>)|"([^"]*)"|([A-Za-z_][\w.]*)|(-?\d[\d.eE+-]*)|(\S))/y;

class Mistake extends Error {}

function tokens(text) {
  const found = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const match = token.exec(text);
    const [all, open, close, operator, string, word, number, other] = match;
    const at = match.index + all.length - all.trimStart().length + 1;
    const type = open ? "(" : close ? ")" : operator ? "operator" : string !== undefined ? "string" : word ? "word" : number ? "number" : "other";
    found.push({ type, at, value: open ?? close ?? operator ?? string ?? word ?? (number ? Number(number) : other) });
  }
  found.push({ type: "end", at: text.length + 1, value: "the end" });
  return found;
}

const field = (row, name) => {
  const [head, ...rest] = name.split(".");
  const root = head === "config" || head === "summary" ? row.tracked?.[head] : name === "verdict" ? row.verdict?.finding : ["project", "group", "job_type"].includes(head) ? row.tracked?.[head] : row[head];
  return rest.reduce((value, key) => value?.[key], root);
};

const compare = { "==": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b };

export function parse(text) {
  const all = tokens(text);
  let i = 0;
  const next = () => all[i++];
  const peek = () => all[i];
  const fail = (one) => { throw new Mistake(`unexpected ${one.value} at column ${one.at}`); };
  const expect = (type) => { const one = next(); if (one.type !== type) fail(one); return one; };
  const isWord = (word) => peek().type === "word" && peek().value === word;
  function primary() {
    const one = next();
    if (one.type === "(") { const inner = either(); expect(")"); return inner; }
    if (one.type === "word" && one.value === "not") { const inner = primary(); return (row) => !inner(row); }
    if (one.type === "word" && one.value === "tag" && peek().type === "(") { next(); const name = expect("string").value; expect(")"); return (row) => row.tags.includes(name); }
    if (one.type === "word" && peek().type === "operator") {
      const operator = next().value;
      const value = next();
      if (value.type !== "number" && value.type !== "string") fail(value);
      return (row) => { const found = field(row, one.value); return found !== undefined && found !== null && compare[operator](found, value.value); };
    }
    if (["word", "string", "number"].includes(one.type)) { const word = String(one.value).toLowerCase(); return (row) => `${row.id} ${row.name} ${row.command} ${row.tags} ${row.tracked?.project}`.toLowerCase().includes(word); }
    return fail(one);
  }
  function both() {
    let left = primary();
    while (isWord("and") || !["end", ")"].includes(peek().type) && !isWord("or")) { if (isWord("and")) next(); const a = left, b = primary(); left = (row) => a(row) && b(row); }
    return left;
  }
  function either() {
    let left = both();
    while (isWord("or")) { next(); const a = left, b = both(); left = (row) => a(row) || b(row); }
    return left;
  }
  if (peek().type === "end") return () => true;
  const rule = either();
  if (peek().type !== "end") fail(peek());
  return rule;
}

export function sorted(rows, sort, order) {
  const way = order === "asc" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [field(a, sort), field(b, sort)];
    if (x == null || y == null) return x == null ? (y == null ? 0 : 1) : -1;
    return (x < y ? -1 : x > y ? 1 : 0) * way;
  });
}
