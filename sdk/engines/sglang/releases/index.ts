import { releasesOf } from "../../options/release.ts";
import v0_5_18 from "./0.5.18.json" with { type: "json" };
import v0_5_19 from "./0.5.19.json" with { type: "json" };
import v0_5_20 from "./0.5.20.json" with { type: "json" };
import v0_5_21 from "./0.5.21.json" with { type: "json" };
import v0_5_22 from "./0.5.22.json" with { type: "json" };
import v0_5_23 from "./0.5.23.json" with { type: "json" };

/** The releases of SGLang from 0.5.18 on, the newest first. `npm run tool engine-releases` writes their data. */
export const sglangReleases = releasesOf([v0_5_23, v0_5_22, v0_5_21, v0_5_20, v0_5_19, v0_5_18]);
