package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.scripted.ServedTypes;

/** Pods on demand, whose mirrors end a number of times just before a request finds them. */
public final class EndingType implements OnDemandTypes {

    private final Runnable start;
    private final Runnable end;
    private boolean mirrored;
    private int ends;
    private int demands;

    /**
     * Creates a type whose mirrors do not end.
     *
     * @param mirrored whether it has mirrors
     * @param start creates the mirrors
     * @param end removes the mirrors
     */
    public EndingType(boolean mirrored, Runnable start, Runnable end) {
        this.mirrored = mirrored;
        this.start = start;
        this.end = end;
    }

    /** Lets the mirrors end so many times. */
    public EndingType ending(int times) {
        ends = times;
        return this;
    }

    /** Returns how often mirrors were demanded. */
    public int demands() {
        return demands;
    }

    /** Returns whether there are mirrors. */
    boolean isMirrored() {
        return mirrored;
    }

    private void endAgain() {
        if (mirrored && ends > 0) {
            ends--;
            mirrored = false;
            end.run();
        }
    }

    @Override
    public boolean isEmpty() {
        return false;
    }

    @Override
    public boolean use(RequestPath.Resource resource, boolean watch) {
        boolean used = mirrored;
        endAgain();
        return used;
    }

    @Override
    public boolean serves(RequestPath.Resource resource) {
        return true;
    }

    @Override
    public boolean demand(RequestPath.Resource resource, boolean watch) {
        demands++;
        mirrored = true;
        start.run();
        endAgain();
        return true;
    }

    @Override
    public void answered(RequestPath.Resource resource) {}

    @Override
    public List<ResourceType> types() {
        return List.of(ServedTypes.PODS);
    }

    @Override
    public boolean isComplete() {
        return true;
    }
}
