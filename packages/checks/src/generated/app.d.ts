/** The built page of the HTML report: `pnpm build` bundles `app/` into `app.js` beside this file. */
export const script: string
/** For a Content-Security-Policy: SHA-256 in base64. */
export const scriptHash: string
export const style: string
/** For a Content-Security-Policy: SHA-256 in base64. */
export const styleHash: string
