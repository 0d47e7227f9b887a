package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;

/** An access control that knows some tokens, and lets their users do everything until told. */
public final class ScriptedAccess implements AccessControl {

    private static final Identity ANNA = new Identity("anna", "", List.of(), Map.of());

    private final Set<String> tokens = ConcurrentHashMap.newKeySet();
    private final Set<String> forbidden = ConcurrentHashMap.newKeySet();
    private volatile Runnable before = () -> {};
    private volatile Duration interval = Duration.ofMillis(5);

    /** From now on this is a token. */
    public ScriptedAccess know(String token) {
        tokens.add(token);
        return this;
    }

    /** From now on nobody may use a resource. */
    public void forbid(String resource) {
        forbidden.add(resource);
    }

    /** From now on the permissions of open watches are decided again after another time. */
    public void recheckAfter(Duration time) {
        interval = time;
    }

    /** From now on this runs before each decision. */
    public void before(Runnable event) {
        before = event;
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public Duration recheckInterval() {
        return interval;
    }

    @Override
    public AccessDecision check(Credentials credentials, Permission permission) {
        before.run();
        if (credentials.token() == null || !tokens.contains(credentials.token())) {
            return new AccessDecision.Unauthenticated();
        }
        if (permission instanceof Permission.OnResource wanted
                && forbidden.contains(wanted.plural())) {
            return new AccessDecision.Forbidden(ANNA, permission, "not today");
        }
        return new AccessDecision.Admitted(ANNA.name());
    }
}
