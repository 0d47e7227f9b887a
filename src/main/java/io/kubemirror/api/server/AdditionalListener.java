package io.kubemirror.api.server;

import io.kubemirror.model.Identity;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** A way to the API beside its port, whose clients have no address of the network. */
public interface AdditionalListener {

    /** Whether it is configured. */
    boolean isOn();

    /**
     * Returns who has connected.
     *
     * @throws IOException if the client has disconnected, or cannot be identified
     */
    Identity client(SocketChannel channel) throws IOException;
}
