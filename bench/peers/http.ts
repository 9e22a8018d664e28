/** JSON over HTTP, as a shop's page calls it; anything but a success is an error. */
export interface Answer {
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function request(url: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return { headers: response.headers, body: JSON.parse(text) as Answer['body'] };
}
