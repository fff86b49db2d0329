/** A time, in milliseconds since the epoch, as the header Date writes it. */
export const httpDate = (at: number): string => new Date(at).toUTCString()
