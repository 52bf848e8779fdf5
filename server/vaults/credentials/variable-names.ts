// Names of environment variables that a credential may have.
import { invalid } from "../../../kernel/base/failure.ts";

/** Where programs look for programs, libraries, and the files of authorities: a placeholder there breaks a sandbox. */
const reserved = new Set([
  "PATH",
  "HOME",
  "USER",
  "SHELL",
  "LANG",
  "TERM",
  "PWD",
  "IFS",
  "ENV",
  "BASH_ENV",
  "NODE_OPTIONS",
  "NODE_USE_ENV_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "PIP_CERT",
  "AWS_CA_BUNDLE",
  "DENO_CERT",
  "CARGO_HTTP_CAINFO",
  "WGETRC",
  "NPM_CONFIG_CAFILE",
]);
const reservedForms = /^LD_|_PROXY$/;
const name = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function expectVariableName(field: string, given: string): string {
  if (!name.test(given))
    throw invalid(
      `${field}: must be the name of an environment variable, of letters, digits and "_", and without a digit at its beginning.`,
    );
  const upper = given.toUpperCase();
  if (reserved.has(upper) || reservedForms.test(upper))
    throw invalid(
      `${field}: ${given} is a variable by which sandboxes themselves work, such as PATH, LD_*, *_PROXY and those of certificates; choose another name.`,
      { code: "reserved_variable" },
    );
  return given;
}
