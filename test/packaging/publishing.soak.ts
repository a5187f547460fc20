import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Buildah, ensureBuildah } from "../../runtime/image/buildah.ts";
import { version } from "../../sdk/version.ts";
import { copyCheckout } from "../../testing/processes/checkout-copy.ts";
import {
  type GuardedRegistry,
  startGuardedRegistry,
} from "../../testing/registries/guarded-registry.ts";
import { type NpmRegistry, startNpmRegistry } from "../../testing/registries/npm-registry.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { releaseWorkflow, runStep } from "./release-workflow.ts";

/**
 * A release, rehearsed: the commands of .github/workflows/release.yml run in a copy of the checkout and publish to two local
 * registries. The registry of images is real, the registry of npm is a STAND-IN. A user's project then installs the package and
 * plans with the image. The workflow's actions do not run: provenance, attestations and the GitHub release need GitHub.
 */

const execute = promisify(execFile);
const names = ["pulumi-inference"];
const [user, password, token] = ["release-bot", "image-password", "npm-token"];

const problem = process.getuid?.() === 0 ? missingBuildah() : "an image is mounted by root only";
if (problem !== undefined) console.warn(`\n!! PUBLISHING IS NOT TESTED: ${problem}\n`);

function missingBuildah(): string | undefined {
  try {
    ensureBuildah();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A program that prints the warnings of a preview and the images of its Deployments. */
const preview = `
import { loadProject, recordProgram } from "pulumi-inference/testing";
const config = process.argv[2] === undefined ? {} : { "pulumi-inference:image": process.argv[2] };
const project = await loadProject(import.meta.dirname, "dev");
const { succeeded, resources, diagnostics } = await recordProgram({ ...project, config });
const images = resources
  .filter(({ type }) => type === "kubernetes:apps/v1:Deployment")
  .flatMap(({ properties }) => properties.spec.template.spec.containers.map(({ image }) => image));
const warnings = diagnostics.filter(({ severity }) => severity !== "info");
console.log(JSON.stringify({ succeeded, images, warnings: warnings.map(({ message }) => message) }));
`;

describe.skipIf(problem !== undefined)("a rehearsed release", () => {
  let folder: string;
  let checkout: string;
  let npm: NpmRegistry;
  let images: GuardedRegistry;
  let env: Record<string, string>;
  let digest: string | undefined;
  const imageName = () => `${images.address}/team/pulumi-inference`;
  const run = (name: string) => runStep(name, { folder: checkout, env });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "release-"));
    checkout = join(folder, "checkout");
    copyCheckout(checkout);
    npm = await startNpmRegistry({ names, token });
    images = await startGuardedRegistry(folder, user, password);
    const home = join(folder, "home");
    mkdirSync(home);
    // As actions/setup-node writes it.
    const npmrc = `//${npm.url.slice("http://".length)}:_authToken=\${NODE_AUTH_TOKEN}\nregistry=${npm.url}\n`;
    writeFileSync(join(home, "npmrc"), npmrc);
    const cache = execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim();
    env = {
      HOME: home,
      NPM_CONFIG_USERCONFIG: join(home, "npmrc"),
      npm_config_cache: cache,
      SSL_CERT_FILE: images.certificate,
      IMAGE: imageName(),
      GITHUB_REF_NAME: `v${version}`,
      GITHUB_ACTOR: user,
      TOKEN: password,
      NODE_AUTH_TOKEN: token,
      // npm writes provenance on GitHub only.
      NPM_CONFIG_PROVENANCE: "false",
    };
  }, 300_000);
  afterAll(async () => {
    await npm?.stop();
    await images?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it("writes notes and SBOM, and marks the version as published", async () => {
    await run("Version, notes and list of parts; this version counts as published from here on");
    const written = (file: string) => readFileSync(join(checkout, file), "utf8");
    expect(written("sdk/version.ts")).toContain("isPublished: boolean = true");
    expect(written("dist/release/notes.md")).not.toBe("");
    expect(JSON.parse(written("dist/release/sbom.cdx.json"))).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { purl: `pkg:npm/pulumi-inference@${version}` } },
    });
  });

  it("fails without a login at the registry of images", async () => {
    const wrong = { ...env, TOKEN: "wrong" };
    const pushed = runStep("Push the image", { folder: checkout, env: wrong });
    await expect(pushed).rejects.toThrow("invalid username/password");
  });

  it("pushes an image of two platforms, and hands its digest to the attestations", async () => {
    ({ digest } = await run("Push the image"));
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const at = `https://${images.address}/v2/team/pulumi-inference/manifests/${version}`;
    const secret = ["--user", `${user}:${password}`, "--cacert", images.certificate];
    const accept = ["-H", "Accept: application/vnd.oci.image.index.v1+json"];
    const { stdout } = await execute("curl", ["-sSfi", ...secret, ...accept, at]);
    const [headers = "", body = ""] = stdout.split("\r\n\r\n");
    expect(headers.toLowerCase()).toContain(`docker-content-digest: ${digest}`);
    const { manifests } = JSON.parse(body) as { manifests: Array<{ platform: object }> };
    expect(manifests.map(({ platform }) => platform)).toEqual([
      { architecture: "amd64", os: "linux" },
      { architecture: "arm64", os: "linux" },
    ]);
    const attested = releaseWorkflow(checkout).jobs.release.steps.filter(({ uses }) =>
      uses?.startsWith("actions/attest-"),
    );
    const subjects = attested.map((step) => step.with?.["subject-digest"]);
    expect(subjects).toEqual(Array(2).fill("$" + "{{ steps.image.outputs.digest }}"));
  });

  it("publishes the package", async () => {
    await run("Publish the package");
    const versions = names.map((name) => `${name}@${version}`);
    expect(Object.keys(npm.published()).sort()).toEqual(versions);
  });

  describe("in a user's project", () => {
    let project: string;
    const inProject = (command: string, ...args: string[]) =>
      execute(command, args, { cwd: project, maxBuffer: 1e8 });

    beforeAll(() => {
      project = join(folder, "user");
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), '{ "type": "module" }');
      writeFileSync(join(project, ".npmrc"), `registry=${npm.url}\n`);
      writeFileSync(
        join(project, "Pulumi.yaml"),
        "name: user\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.ts\n",
      );
      copyFileSync(join(repositoryRoot, "examples/quickstart/index.ts"), join(project, "index.ts"));
      writeFileSync(join(project, "preview.js"), preview);
    });

    it("both packages are installed, with the integrity that was published", async () => {
      await inProject("npm", "install", ...names, "@pulumi/pulumi", "@pulumi/kubernetes");
      const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
        packages: Record<string, { version: string; integrity: string }>;
      };
      const installed = names.map((name) => {
        const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
        return [`${name}@${version}`, integrity];
      });
      expect(Object.fromEntries(installed)).toEqual(npm.published());
    });

    const planned = async (...image: string[]) =>
      JSON.parse((await inProject(process.execPath, "preview.js", ...image)).stdout);

    it("the program plans with the image that the workflow pushes, without a warning", async () => {
      const { IMAGE } = releaseWorkflow(checkout).jobs.release.env;
      const expected = { succeeded: true, images: [`${IMAGE}:${version}`], warnings: [] };
      expect(await planned()).toEqual(expected);
    });

    it("the program plans with the pushed image by its digest, and the image runs", async () => {
      const reference = `${imageName()}@${digest}`;
      expect(await planned(reference)).toMatchObject({ succeeded: true, images: [reference] });
      const buildah = new Buildah(join(folder, "pulled"));
      const credentials = [`--creds=${user}:${password}`, `--cert-dir=${certificates()}`];
      const container = await buildah.run("from", ...credentials, `docker://${reference}`);
      const program = ["--", "/node", "/app/main.cjs", "--help"];
      const help = await buildah.run("run", "--isolation=chroot", container, ...program);
      expect(help).toContain("Usage: endpoint-picker");
    });
  });

  /** Returns a folder with the registry's certificate under the name that buildah reads. */
  function certificates(): string {
    const certs = join(folder, "certs");
    mkdirSync(certs);
    copyFileSync(images.certificate, join(certs, "ca.crt"));
    return certs;
  }
});
