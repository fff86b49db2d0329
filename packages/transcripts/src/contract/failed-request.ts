const longest = 200

/** The reason for skipping a request of a batch that failed; `details` are the texts and numbers of the error. */
export function failedRequest(id: unknown, ...details: unknown[]): string {
  const known = details.filter((each) => typeof each === 'number' || (typeof each === 'string' && each !== ''))
  const why = [...new Set(known)].join(': ')
  const short = why.length > longest ? `${why.slice(0, longest)}…` : why
  return `the request${id === undefined ? '' : ` ${JSON.stringify(id)}`} has no answer${short === '' ? '' : `: ${short}`}`
}
