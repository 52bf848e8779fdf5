// The times of a lease where its holder names no others: `LeaseTimes` in lease.ts says what they mean.

export const leaseLimits = { leaseMs: 10_000, heartbeatMs: 3_000 } as const;
