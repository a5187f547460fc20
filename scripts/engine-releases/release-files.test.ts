import { describe, expect, it } from "vitest";
import { engines } from "../../sdk/engines/index.ts";
import { wholeReleases } from "../../sdk/engines/options/release.ts";
import type { WholeRelease } from "../../sdk/engines/options/release-data.ts";
import { releaseFiles } from "./release-files.ts";
import { storedReleases } from "./stored-releases.ts";

describe.each(["vllm", "sglang"] as const)("the data files of %s", (engine) => {
  const stored = storedReleases(engine);

  it("the list of releases contains every data file, the newest first", () => {
    expect(engines[engine].releases?.all.map(({ version }) => version)).toEqual(
      stored.map(({ version }) => version),
    );
  });

  it("every data file equals the file that the script writes for its release", () => {
    const written = releaseFiles(wholeReleases(stored), stored[0]?.limits);
    expect(written.map((data) => JSON.stringify(data))).toEqual(
      stored.map((data) => JSON.stringify(data)),
    );
  });
});

describe("releaseFiles", () => {
  const none = { boolean: [], optional: [], list: [] };
  const lists = { variables: [], connectors: [], architectures: [], unstaged: [] };
  const newer: WholeRelease = {
    ...{ version: "0.10.0", ...lists },
    options: { ...none, switch: ["--a", "--moved"], value: ["--new", "--x|-x"] },
    values: { "--x": ["1", "2"], "--new": ["n"] },
    variables: ["E_NEW", "E_ONE"],
  };
  const older: WholeRelease = {
    ...{ version: "0.9.0", ...lists },
    options: { ...none, switch: ["--a"], value: ["--moved", "--x|-x"] },
    values: { "--x": ["1"], "--moved": ["m"] },
    variables: ["E_ONE"],
    unstaged: ["A"],
  };
  const limits = { "int >=1": ["--x"] };

  it("writes all of the newest release, and the differences of an older one", () => {
    expect(releaseFiles([newer, older], limits)).toEqual([
      {
        version: "0.10.0",
        options: { switch: ["--a", "--moved"], value: ["--new", "--x|-x"] },
        values: { "--new": ["n"], "--x": ["1", "2"] },
        variables: ["E_NEW", "E_ONE"],
        limits,
      },
      {
        version: "0.9.0",
        options: { value: ["--moved"] },
        values: { "--moved": ["m"], "--new": [], "--x": ["1"] },
        unstaged: ["A"],
        lacks: { options: ["--moved", "--new"], variables: ["E_NEW"] },
      },
    ]);
  });

  it("writes files from which wholeReleases returns the same releases", () => {
    const sorted = (release: WholeRelease | undefined) =>
      JSON.parse(JSON.stringify(release), (_, value) =>
        Array.isArray(value) ? value.toSorted() : value,
      );
    const read = wholeReleases(releaseFiles([newer, older], limits));
    expect(read.map(sorted)).toEqual([newer, older].map(sorted));
  });
});
