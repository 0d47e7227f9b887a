// Sends a request over HTTP/2 whose body comes in parts with pauses, without a length. Prints the code of the response, then
// its body.
//
// Arguments: the file with the certificate of the server, the token, the method, the address, the type of the body, the parts.
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { setTimeout } from 'node:timers/promises';

const [ca, token, method, address, type, ...parts] = process.argv.slice(2);

const url = new URL(address);
const session = connect(url.origin, { ca: readFileSync(ca) });
const headers = {
    ':method': method,
    ':path': url.pathname + url.search,
    authorization: `Bearer ${token}`,
    'content-type': type,
};
const stream = session.request(headers, { endStream: parts.length === 0 });
stream.setEncoding('utf8');
stream.on('response', (response) => console.log(response[':status']));
stream.on('data', (text) => process.stdout.write(text));
stream.on('close', () => session.close());
for (const part of parts) {
    await setTimeout(50);
    stream.write(part);
}
stream.end();
