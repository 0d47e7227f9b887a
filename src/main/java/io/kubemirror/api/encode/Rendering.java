package io.kubemirror.api.encode;

import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

/**
 * A shape of answers besides whole objects and metadata, which clients ask for by the parameter
 * {@code as} of a media type. The API finds all beans of this type. An answer may depend on the
 * time, so its tag identifies the bytes for a second and is not sent.
 */
public interface Rendering {

    /** Returns what clients ask for. */
    ResponseShape shape();

    /** Returns whether the shape of a type is that of the API server. */
    boolean isNative(ResourceType type);

    /** Returns the document of a list. */
    JsonDocument list(ResponseForm wanted, ListPage page) throws Rejection;

    /** Returns the document of one object, which has the same bytes each time it is written. */
    JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection;

    /** Returns an encoder of the objects of one watch. */
    ObjectEncoder objects(ResponseForm wanted) throws Rejection;
}
