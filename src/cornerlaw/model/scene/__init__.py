"""What a model looks like: plain data that viewers and result files understand."""

from cornerlaw.model.scene.describe import VERSION, describe_scene

__all__ = ["VERSION", "describe_scene"]
