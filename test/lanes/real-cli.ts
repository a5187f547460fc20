/** Test files that run the Pulumi CLI outside of its folders: `npm run test:cli`. `npm test` leaves them out. */
export const withPulumi = ["components/lifecycle.test.ts"];
