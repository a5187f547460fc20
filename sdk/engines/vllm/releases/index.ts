import { releasesOf } from "../../options/release.ts";
import v0_26_0 from "./0.26.0.json" with { type: "json" };
import v0_27_1 from "./0.27.1.json" with { type: "json" };
import v0_28_0 from "./0.28.0.json" with { type: "json" };
import v0_29_0 from "./0.29.0.json" with { type: "json" };
import v0_30_0 from "./0.30.0.json" with { type: "json" };
import v0_31_0 from "./0.31.0.json" with { type: "json" };
import v0_32_0 from "./0.32.0.json" with { type: "json" };
import v0_33_0 from "./0.33.0.json" with { type: "json" };

/** The releases of vLLM from 0.26 on, the newest first. `npm run tool engine-releases` writes their data. */
export const vllmReleases = releasesOf([
  v0_33_0,
  v0_32_0,
  v0_31_0,
  v0_30_0,
  v0_29_0,
  v0_28_0,
  v0_27_1,
  v0_26_0,
]);
