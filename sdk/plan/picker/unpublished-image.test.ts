import { expect, it } from "vitest";
import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../../testing/samples/sample-service.ts";
import { defaultRuntimeImage, defaultSidecarImage } from "../../topology/runtime-image.ts";
import { planInferenceService } from "../inference-service.ts";
import { unpublishedImage } from "./unpublished-image.ts";

const routed = (fields: object = {}) => planInferenceService(service([worker(), router(fields)]));

it("the message names the Deployment with the unpublished image, and both fixes", () => {
  const said = unpublishedImage(routed(), false);
  expect(said).toContain(`Deployment svc-epp uses the image ${defaultRuntimeImage}`);
  expect(said).toContain("npm run image -- --push REGISTRY/NAME");
  expect(said).toContain("pulumi config set pulumi-inference:image");
  expect(said).toContain("argument `image`");
});

it("the message names the LeaderWorkerSet with the unpublished sidecar image", () => {
  const pair = (fields: object = {}) =>
    planInferenceService(service([prefiller(), decoder(fields), router({ image: "mine:1" })]));
  const said = unpublishedImage(pair(), false);
  expect(said).toContain(`LeaderWorkerSet svc-decode-0 uses the image ${defaultSidecarImage}`);
  expect(said).toContain("pulumi config set pulumi-inference:sidecarImage");
  expect(unpublishedImage(pair({ sidecarImage: "mine:1" }), false)).toBeUndefined();
});

it("there is no message for another image, without a router, or for a published image", () => {
  expect(unpublishedImage(routed({ image: "mine:1" }), false)).toBeUndefined();
  expect(unpublishedImage(planInferenceService(service([worker()])), false)).toBeUndefined();
  expect(unpublishedImage(routed(), true)).toBeUndefined();
});
