// An organization of a benchmark, made on the server's own database, and its owner's cookie.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

export interface BenchOrganization {
  id: string;
  cookie: string;
}

export interface MadeOrganization {
  organization_id: string;
  owner_password: string;
  admin_api_key: string;
}

const emailOf = (name: string) => `${name}@bench.example`;

export async function initialize(
  dataDirectory: string,
  type: string,
  name: string,
): Promise<MadeOrganization> {
  const words = ["--data-dir", dataDirectory, "--type", type, "--organization", name];
  const args = ["init", "--json", ...words, "--email", emailOf(name)];
  const plinth = join(import.meta.dirname, "../plinth");
  const { stdout } = await promisify(execFile)(plinth, args);
  return JSON.parse(stdout) as MadeOrganization;
}

export async function makeBenchOrganization(
  url: string,
  dataDirectory: string,
  type: string,
  name: string,
): Promise<BenchOrganization> {
  const made = await initialize(dataDirectory, type, name);
  const response = await fetch(`${url}/console/api/sign_in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: emailOf(name), password: made.owner_password }),
  });
  const cookie = (response.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  return { id: made.organization_id, cookie };
}
