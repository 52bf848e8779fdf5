// What each package manager is asked to do in the sandbox that becomes a layer, and where sessions find what it did.
import { createHash } from "node:crypto";
import type { World } from "../../../kernel/context.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import {
  sandboxSettingsOf,
  systemPath,
  type PackageManager,
  type PackageSettings,
  type SandboxLayer,
} from "../../sandboxes/module.ts";

export const packagesPlace = "/mnt/packages";
const work = "/workspace/build";

/** Of the root file system, where a script ends with it. */
export const missingCode = 119;
export const foreignSystemCode = 118;

interface Manager {
  /** A shell script, with the packages as its arguments. */
  script: string;
  /** What it is asked in the sandbox with where a mirror is named. */
  mirror(address: string): Readonly<Record<string, string>>;
  /** Below `packagesPlace`, where programs lie. */
  programs: readonly string[];
  /** Where libraries are looked for. */
  variables: Readonly<Record<string, string>>;
  /** What has to be found at the root, because nothing else is looked at: a name, and where it leads. */
  links?: Readonly<Record<string, string>>;
}

const needs = (program: string) => `command -v ${program} >/dev/null || exit ${missingCode}`;

const triplet = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
const ofApt = (...paths: readonly string[]) =>
  paths.map((path) => `${packagesPlace}/apt/${path}`).join(":");

/**
 * No script of a package is run, and nothing but its files is there. What the root file system has counts as installed,
 * by dpkg's list of it: on standard input, or where an image has it.
 */
const aptScript = `
${needs("apt-get")}
${needs("dpkg-deb")}
list=/dev/stdin
[ -s $list ] || list=/var/lib/dpkg/status
[ -s $list ] || exit ${foreignSystemCode}
root=${work}/apt
mkdir -p $root/state $root/lists/partial $root/archives/partial $root/etc
cat $list >$root/status
. /usr/lib/os-release
say() { echo "deb [$1] $2 $VERSION_CODENAME\${3-} $4"; }
if [ -n "\${APT_MIRROR-}" ]; then
  case "$APT_MIRROR_TRUST" in yes) how=trusted=yes ;; *) how=signed-by=/usr/share/keyrings/$ID-archive-keyring.gpg ;; esac
  say $how "$APT_MIRROR" "" main
elif [ "$ID" = debian ]; then
  key=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg
  say $key http://deb.debian.org/debian "" main
  say $key http://deb.debian.org/debian -updates main
  say $key http://security.debian.org/debian-security -security main
elif [ "$ID" = ubuntu ]; then
  key=signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg
  host=${process.arch === "arm64" ? "ports.ubuntu.com/ubuntu-ports" : "archive.ubuntu.com/ubuntu"}
  for pocket in "" -updates -security; do say $key http://$host "$pocket" "main universe"; done
else
  exit ${foreignSystemCode}
fi >$root/sources.list
apt() {
  apt-get -q -y -o Dir::State=$root/state -o Dir::State::status=$root/status -o Dir::State::lists=$root/lists \\
    -o Dir::Cache=$root -o Dir::Cache::archives=$root/archives -o Dir::Etc=$root/etc \\
    -o Dir::Etc::sourcelist=$root/sources.list -o Dir::Etc::sourceparts=$root/etc -o Debug::NoLocking=1 \\
    -o Dir::Log=$root -o APT::Get::Assume-Yes=1 -o Acquire::Retries=2 "$@"
}
apt update && apt --no-install-recommends --download-only install "$@" || exit
mkdir -p ${packagesPlace}/apt
for file in $root/archives/*.deb; do
  [ -e "$file" ] || continue
  echo "\${file##*/}"
  dpkg-deb -x "$file" ${packagesPlace}/apt || exit
done`;

/** In the order in which they are asked: what comes later may need what apt has brought. */
export const managers: Readonly<Record<PackageManager, Manager>> = {
  apt: {
    script: aptScript,
    mirror: (address) => ({ APT_MIRROR: address }),
    programs: ["usr/bin", "usr/sbin", "bin", "sbin", "usr/games"].map((path) => `apt/${path}`),
    variables: {
      LD_LIBRARY_PATH: ofApt(`usr/lib/${triplet}`, `lib/${triplet}`, "usr/lib"),
      PYTHONPATH: ofApt("usr/lib/python3/dist-packages"),
    },
  },
  cargo: {
    script: `${needs("cargo")}
mirror=()
if [ -n "\${CARGO_MIRROR-}" ]; then
  mirror=(--config 'source.crates-io.replace-with="mirror"' --config "source.mirror.registry=\\"sparse+$CARGO_MIRROR\\"")
fi
CARGO_HOME=${work}/cargo CARGO_TARGET_DIR=${work}/target cargo "\${mirror[@]}" install --root ${packagesPlace}/cargo "$@"`,
    mirror: (address) => ({ CARGO_MIRROR: address }),
    programs: ["cargo/bin"],
    variables: {},
  },
  gem: {
    script: `${needs("gem")}
mirror=()
if [ -n "\${GEM_MIRROR-}" ]; then mirror=(--clear-sources --source "$GEM_MIRROR"); fi
gem install --no-document --install-dir ${packagesPlace}/gem --bindir ${packagesPlace}/gem/bin "\${mirror[@]}" "$@"`,
    mirror: (address) => ({ GEM_MIRROR: address }),
    programs: ["gem/bin"],
    variables: { GEM_PATH: `${packagesPlace}/gem` },
  },
  go: {
    script: `${needs("go")}
export GOBIN=${packagesPlace}/go/bin GOPATH=${work}/go GOCACHE=${work}/go-cache GOTOOLCHAIN=local GOFLAGS=-modcacherw
for each; do
  case "$each" in *@*) ;; *) each=$each@latest ;; esac
  go install -v "$each" || exit
done`,
    mirror: (address) => ({ GOPROXY: address }),
    programs: ["go/bin"],
    variables: {},
  },
  npm: {
    script: `${needs("npm")}
npm install --global --prefix ${packagesPlace}/npm --cache ${work}/npm --loglevel http --no-audit --no-fund --no-update-notifier "$@"`,
    mirror: (address) => ({ npm_config_registry: address }),
    programs: ["npm/bin"],
    variables: { NODE_PATH: `${packagesPlace}/npm/lib/node_modules` },
    // `import` heeds no variable: it goes up from the file, as far as the root.
    links: { node_modules: "npm/lib/node_modules" },
  },
  pip: {
    script: `python3 -m pip --version >/dev/null 2>&1 || exit ${missingCode}
python3 -m pip install --target ${packagesPlace}/pip --no-cache-dir --disable-pip-version-check --no-input --progress-bar off "$@"`,
    mirror: (address) => ({
      PIP_INDEX_URL: address,
      // Else pip takes nothing from an address without TLS.
      ...(address.startsWith("http:") && { PIP_TRUSTED_HOST: new URL(address).hostname }),
    }),
    programs: ["pip/bin"],
    variables: { PYTHONPATH: `${packagesPlace}/pip` },
  },
};

export type Packages = Readonly<Record<PackageManager, readonly string[]>>;
export const managerNames = Object.keys(managers) as PackageManager[];

/** The list of an environment, each package once; undefined where it names none. */
export function packagesOf(config: EnvironmentConfig | null): Packages | undefined {
  if (config?.type !== "cloud") return undefined;
  const { packages } = config;
  if (managerNames.every((name) => packages[name].length === 0)) return undefined;
  const lists = managerNames.map((name) => [name, [...new Set(packages[name])].toSorted()]);
  return Object.fromEntries(lists) as Packages;
}

/** One list on one machine is one layer; another root file system or image makes others of the same list. */
export function layerName(world: Pick<World, "sections">, packages: Packages): string {
  const { provider, rootfs, docker } = sandboxSettingsOf(world);
  const system = provider === "docker" ? { image: docker?.image } : rootfs;
  const what = JSON.stringify([recipe, process.arch, system, packages]);
  return createHash("sha256").update(what).digest("hex").slice(0, 40);
}

/** Another number makes all layers anew. */
const recipe = 1;

export const namedIn = (packages: Packages): PackageManager[] =>
  managerNames.filter((name) => packages[name].length > 0);

/** What a session's sandbox shows of the layer. */
export const sessionLayer = (name: string, packages: Packages): SandboxLayer => ({
  name,
  path: packagesPlace,
  links: Object.assign({}, ...namedIn(packages).map((each) => managers[each].links ?? {})),
});

/** What programs of a session find the packages by. */
export function sessionVariables(packages: Packages): Record<string, string> {
  const named = namedIn(packages).map((name) => managers[name]);
  const variables: Record<string, string> = {};
  for (const { variables: own } of named)
    for (const [name, value] of Object.entries(own))
      variables[name] = variables[name] === undefined ? value : `${value}:${variables[name]}`;
  const programs = named.flatMap((each) => each.programs).map((path) => `${packagesPlace}/${path}`);
  return { ...variables, PATH: [...programs, systemPath].join(":") };
}

/** Of the sandbox that becomes a layer. Nothing is at its own loopback: the door is asked for such addresses, too. */
export function buildVariables(
  packages: Packages,
  { mirrors, trustsAptMirror }: Pick<PackageSettings, "mirrors" | "trustsAptMirror">,
): Record<string, string> {
  const asked = namedIn(packages).map((name) => {
    const address = mirrors[name];
    return address === undefined ? {} : managers[name].mirror(address);
  });
  const own = {
    HOME: `${work}/home`,
    TMPDIR: `${work}/tmp`,
    NO_PROXY: "",
    no_proxy: "",
    APT_MIRROR_TRUST: trustsAptMirror ? "yes" : "no",
  };
  return Object.assign({}, sessionVariables(packages), ...asked, own) as Record<string, string>;
}

export const beginScript = `mkdir -p ${work}/home ${work}/tmp`;
/** Others than the owner read it; what is not part of it takes no room. */
export const finishScript = `chmod -R a+rX ${packagesPlace} && rm -rf ${work} && sync`;
