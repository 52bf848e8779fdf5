// The `sql` tag: text with holes becomes a statement with parameters, never text with values in it.

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Named statements are prepared once per connection: for the hot ones. */
  readonly name?: string;
}

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

/** Joins literal text and parameters; a Statement in a hole is spliced in, its parameters renumbered. */
export function sql(strings: TemplateStringsArray, ...holes: unknown[]): Statement {
  let text = strings[0] ?? "";
  const values: unknown[] = [];
  holes.forEach((hole, index) => {
    if (hole instanceof SqlStatement) {
      text += renumbered(hole, values.length);
      values.push(...hole.values);
    } else {
      // The driver would write null; a forgotten field must not become an empty column.
      if (hole === undefined)
        throw new TypeError(
          `Hole ${index + 1} is undefined (null is a value) in: ${strings.join("…")}`,
        );
      values.push(hole);
      text += `$${values.length}`;
    }
    text += strings[index + 1] ?? "";
  });
  return new SqlStatement(text, values);
}

/** Several statements as one, as in `where ${join(conditions, " and ")}`. */
export function joinStatements(statements: readonly Statement[], separator: string): Statement {
  const values: unknown[] = [];
  const texts = statements.map((statement) => {
    const text = renumbered(statement, values.length);
    values.push(...statement.values);
    return text;
  });
  return new SqlStatement(texts.join(separator), values);
}

/** Prepared under this name: one name, one text. */
export function preparedAs(name: string, statement: Statement): Statement {
  return new SqlStatement(statement.text, statement.values, name);
}

/** An identifier, quoted: for the few places that are handed a table's name. */
export function identifier(name: string): Statement {
  return new SqlStatement(`"${name.replaceAll('"', '""')}"`, []);
}

export const empty: Statement = sql``;

/** Every parameter is `$n`; literal SQL text that needs a dollar and a digit goes in as a value. */
function renumbered({ text }: Statement, offset: number): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`);
}
