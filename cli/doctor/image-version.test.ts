import { describe, expect, it } from "vitest";
import { isAtLeast, versionOfImage } from "./image-version.ts";

describe("versionOfImage", () => {
  it.each([
    ["volcanosh/vc-scheduler:v1.14.1", true],
    ["localhost:5000/vc-scheduler:1.15.0", true],
    ["volcanosh/vc-scheduler:v1.14.1@sha256:00", true],
    ["volcanosh/vc-scheduler:v2.0.0-alpha.0", true],
    ["volcanosh/vc-scheduler:v1.14.1-rc.1", false],
    ["volcanosh/vc-scheduler:v1.9.12", false],
    ["volcanosh/vc-scheduler:v0.99.99", false],
  ])("%s is at least 1.14.1: %s", (name, expected) => {
    const version = versionOfImage(name);
    expect(version && isAtLeast(version, [1, 14, 1])).toBe(expected);
  });

  it.each(["vc-scheduler", "localhost:5000/vc-scheduler", "x:latest", "x@sha256:1.2.3", "x:v1.14"])(
    "%s names none",
    (name) => expect(versionOfImage(name)).toBeUndefined(),
  );
});
