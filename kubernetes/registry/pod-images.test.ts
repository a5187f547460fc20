import { expect, it } from "vitest";
import type { Manifest } from "../values/manifest.ts";
import { imagesOf, withImages } from "./pod-images.ts";

const podSpec = {
  initContainers: [{ name: "a", image: "init:1" }],
  containers: [{ name: "b", image: "main:1", env: [{ name: "image", value: "not-an-image" }] }],
  ephemeralContainers: [{ name: "c", image: "debug:1" }],
  volumes: [{ name: "weights", image: { reference: "weights:1", pullPolicy: "Always" } }],
};
const workload = {
  apiVersion: "leaderworkerset.x-k8s.io/v1",
  kind: "LeaderWorkerSet",
  metadata: { name: "a" },
  spec: { leaderWorkerTemplate: { workerTemplate: { spec: podSpec } }, image: "not-an-image" },
} as Manifest;

it("imagesOf finds the images of every container and of image volumes", () => {
  expect(imagesOf([workload, workload])).toEqual(["debug:1", "init:1", "main:1", "weights:1"]);
});

it("withImages changes these images and nothing else", () => {
  const changed = JSON.stringify(withImages(workload, (image) => `registry.test/${image}`));
  const expected = JSON.stringify(workload).replaceAll(
    /"(image|reference)":"(\w+:1)"/g,
    '"$1":"registry.test/$2"',
  );
  expect(changed).toBe(expected);
});
