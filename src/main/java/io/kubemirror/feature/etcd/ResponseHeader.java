package io.kubemirror.feature.etcd;

import io.kubemirror.model.Revision;

import java.io.IOException;

/**
 * The header of every response of etcd.
 *
 * @param cluster the id of the cluster
 * @param revision the revision of the store when the response was made
 */
record ResponseHeader(long cluster, Revision revision) {

    static final ResponseHeader NONE = new ResponseHeader(0, Revision.ZERO);

    /** The number of the field in all messages. */
    static final int FIELD = 1;

    /** Reads the header that is the reader's current field. */
    static ResponseHeader read(ProtobufReader in) throws IOException {
        long around = in.enter();
        long cluster = 0;
        Revision revision = Revision.ZERO;
        for (int field = in.nextField(); field != 0; field = in.nextField()) {
            switch (field) {
                case 1 -> cluster = in.number();
                case 3 -> revision = in.revision();
                default -> in.skip();
            }
        }
        in.leave(around);
        return new ResponseHeader(cluster, revision);
    }
}
