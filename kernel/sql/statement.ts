// The `sql` tag: text with holes becomes a statement with parameters, never text with values in it.

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Named statements are prepared once per connection: for the hot ones. */
  readonly name?: string;
}

/** Joins literal text and parameters; a Statement in a hole is spliced in, its parameters renumbered. */
export function sql(strings: TemplateStringsArray, ...holes: unknown[]): Statement {
  let text = strings[0] ?? "";
  const values: unknown[] = [];
  holes.forEach((hole, index) => {
    if (isStatement(hole)) {
      const offset = values.length;
      text += hole.text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`);
      values.push(...hole.values);
    } else {
      values.push(hole);
      text += `$${values.length}`;
    }
    text += strings[index + 1] ?? "";
  });
  return new SqlStatement(text, values);
}

/** Prepared under this name: one name, one text. */
export function named(name: string, statement: Statement): Statement {
  return new SqlStatement(statement.text, statement.values, name);
}

/** An identifier, quoted: for the few places that are handed a table's name. */
export function identifier(name: string): Statement {
  return new SqlStatement(`"${name.replaceAll('"', '""')}"`, []);
}

export const empty: Statement = sql``;

class SqlStatement implements Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string;

  constructor(text: string, values: readonly unknown[], name?: string) {
    this.text = text;
    this.values = values;
    if (name !== undefined) this.name = name;
  }
}

function isStatement(value: unknown): value is Statement {
  return value instanceof SqlStatement;
}
