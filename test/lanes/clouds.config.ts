import { lane } from "./lane.ts";

/**
 * Programs with the SDKs of clouds, which npm installs if they are not there: `npm test clouds`. They need no cluster, so
 * this lane builds no Go programs.
 */
export default lane(["test/clouds/*.test.ts"], {
  globalSetup: [],
  maxWorkers: 1,
  retry: 0,
  testTimeout: 600_000,
  hookTimeout: 1_200_000,
});
