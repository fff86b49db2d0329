let second = Number.NaN
let text = ''

/** A time, in milliseconds since the epoch, as the header Date writes it. All answers of one second share the text. */
export function httpDate(at: number): string {
  if (Math.floor(at / 1000) !== second) {
    second = Math.floor(at / 1000)
    text = new Date(at).toUTCString()
  }
  return text
}
