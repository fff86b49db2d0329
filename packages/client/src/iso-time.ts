const form =
  /^(\d{4})-(\d\d)-(\d\d)([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?)?$/i

/** Whether a text is a calendar date or date-time of ISO 8601 that exists: no 30 February, no 25 o'clock. */
export function isIsoTime(text: string): boolean {
  const [, year, month, day] = form.exec(text)?.map(Number) ?? []
  if (year === undefined || !month || month > 12 || !day) return false
  // The calendar repeats after 400 years, and Date.UTC takes years below 100 for those of the 20th century.
  const lastOfMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return day <= lastOfMonth
}
