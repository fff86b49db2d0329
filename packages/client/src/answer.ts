import { isObject } from './json.js'
import { headerOf, type TransportResponse } from './transport.js'

const isText = (value: unknown): value is string => typeof value === 'string'

/** Success bodies by what the client relies on; anything else is not the declared answer. */
export const declares = {
  health: (body: unknown) => isObject(body) && isText(body.status),
  annotation: (body: unknown) => isObject(body) && isText(body.outcome) && isObject(body.signals),
  annotators: (body: unknown) => isObject(body) && Array.isArray(body.annotators) && body.annotators.every(isObject),
  /** Not shown in the interface. */
  batch: isObject,
  /** Surface B's envelope around one record: a usable id, whatever its other fields are. */
  record: (body: unknown) => isObject(body) && isObject(body.data) && isText(body.data.id) && body.data.id !== '',
  /** Surface B's envelope around a page of records. */
  page: (body: unknown) => isObject(body) && Array.isArray(body.data) && body.data.every(isObject),
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

/** The id under which the service, or what stands before it, knows the request. */
export const requestIdOf = (response: TransportResponse): string | undefined =>
  requestIdHeaders.map((name) => headerOf(response, name)).find(Boolean)
