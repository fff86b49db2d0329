/** Shown by no browser: its bundle needs nothing of `network-codes.ts`. */
const never = /(?!)/

export const misconfigurations = []
export { never as connectingCall, never as connectingCode }
