/** Whatever stands between a typed call and the socket. */
export type Fetch = (request: Request) => Promise<Response>

/** The runtime's own fetch, looked up at each call, so that tools which replace it later are seen. */
export const runtimeFetch: Fetch = (request) => globalThis.fetch(request)
