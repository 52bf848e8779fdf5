// Rules SES101, SES103, SES106: packages of environments where sandboxes are containers.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { layerName } from "../../server/sessions/packages/managers.ts";
import { daemonFault, makeImage, testDaemon } from "../sandboxes/docker-daemon.ts";
import { computer, openSessionHouse, said } from "./sessions-house.ts";
import { resultsOf, shell } from "./sessions-sandboxes-house.ts";

/** What a first call says in a house whose sandboxes are made of this image. */
async function sayIn(image: string, packages: object): Promise<string> {
  const { socket } = await testDaemon();
  const sections = { sandbox: { provider: "docker", docker: { socket, image } } };
  await using it = await openSessionHouse({ sections });
  const { id: environment_id } = await it.askGood<{ id: string }>("POST", "/v1/environments", {
    body: { name: "tools", config: { type: "cloud", packages } },
  });
  const { id: agent } = await it.agent({ tools: [computer()] });
  const { id } = await it.begin({ agent, environment_id });
  return resultsOf(await it.turn(id, said(shell("true")))).join("\n");
}

/** A system whose apt says what it was told is installed. */
const debianOf = (installed: string) => ({
  "usr/bin/apt-get": `#!/bin/bash\ncat /workspace/build/apt/status\nexit 7\n`,
  "usr/bin/dpkg-deb": "#!/bin/bash\n",
  "usr/lib/os-release": "ID=debian\nVERSION_CODENAME=none\n",
  "var/lib/dpkg/status": `${installed}\n`,
});

suite("packages in containers", { skip: daemonFault }, () => {
  test("[SES103] a package manager that the image has not is named, with what mends it", async () => {
    const words = await sayIn(await makeImage("plinth-bare:1", []), { gem: ["rake"] });
    assert.match(words, /gem is not in the image of sandboxes\. .*sandbox\.docker\.image\./);
    assert.doesNotMatch(words, /rootfs/);
  });

  test("[SES106] what counts as installed is what the image has, not this machine", async () => {
    const image = await makeImage("plinth-apt:1", [], debianOf("Package: of-the-image"));
    const words = await sayIn(image, { apt: ["graphviz"] });
    assert.match(words, /exit status 7\).*\nPackage: of-the-image/);
  });
});

test("[SES101] one list is another layer of another image, whatever the root file system of this machine is", () => {
  const packages = { apt: ["graphviz"], cargo: [], gem: [], go: [], npm: [], pip: [] };
  const nameOf = (sandbox: object) => layerName({ sections: { sandbox } }, packages);
  const of = (image: string, more: object = {}) =>
    nameOf({ provider: "docker", docker: { image }, ...more });
  assert.notEqual(of("debian:12"), of("debian:13"));
  assert.equal(of("debian:12"), of("debian:12", { rootfs: "/other" }));
  assert.notEqual(of("debian:12"), nameOf({ docker: { image: "debian:12" } }));
});
