import fc from "fast-check";

// Cases of each property that names no number of its own: PROPERTY_CASES, else 300. The nightly workflow runs 3,000.
fc.configureGlobal({ numRuns: Number(process.env.PROPERTY_CASES ?? 300) });
